package tclpearl

import (
	"errors"
	"fmt"

	"nacre/pearl"
	"nacre/rl"
	"nacre/rl/config"
	"nacre/tcl"
)

// Windows is the name of the control between PEARL and TCL-PEARL. It is PEARL with contexts of TCL-PEARL's kind and
// length, but without its loss. So it differs from PEARL only in the windows, and from TCL-PEARL only in the loss.
const Windows = "pearl-windows"

// onWindows is PEARL's configuration with TCL's contexts. Of TCL's settings only the window and its crop are used.
func onWindows(c rl.Config) pearl.Config {
	p := pearl.Of(c)
	t := tcl.Of(c)
	p.ContextSampling, p.Context, p.ContextCrop = "window", t.Window, t.Crop
	return p
}

func init() {
	rl.Builtin(rl.Algorithm{
		Name: Windows, Title: "PEARL on windows",
		About: "the control between both: PEARL on TCL-PEARL's windows (tcl.window) without its loss; its presets " +
			"are those of tcl-pearl",
		Tables: []rl.Table{pearl.Table, tcl.Table},
		Validate: func(c rl.Config) error {
			if s := tcl.Of(c).Sampling; s != "windows" {
				return fmt.Errorf("tcl.sampling = %q with %s, want windows: the control of the loss on rows is pearl",
					s, Windows)
			}
			return nil
		},
		Schedule: pearl.Schedule,
		Length:   "pearl.iterations",
		Protocol: "oyster",
		Small:    small(),
		New: func(c rl.Config, s rl.Setup) (rl.Learner, error) {
			if err := errors.Join(config.Check(pearl.Of(c)), config.Check(tcl.Of(c))); err != nil {
				return nil, err
			}
			return pearl.New(onWindows(c), s, nil)
		},
		Window: func(c rl.Config) int { return tcl.Of(c).Window },
		Acts:   pearl.Acts(),
	})
}
