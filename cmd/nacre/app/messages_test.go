package app

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
)

func TestMessages(t *testing.T) {
	for _, test := range []struct {
		say  func(*slog.Logger)
		want string
	}{
		{func(l *slog.Logger) { l.Warn("no GPU was found") }, "no GPU was found\n"},
		{func(l *slog.Logger) { l.Info("not at this level") }, ""},
		{func(l *slog.Logger) {
			l.Warn("a message was dropped", "channel", "shell", "error", errors.New("too long"))
		},
			"a message was dropped (channel shell): too long\n"},
		{func(l *slog.Logger) {
			l.With("kernel", 7).WithGroup("g").Error("a kernel ended", "pid", 12, "stderr", "")
		},
			"a kernel ended (kernel 7, pid 12)\n"},
		{func(l *slog.Logger) { l.Warn("two\r\n\tlines", "text", "é\x1b[2J\u202e\t'") },
			"two; lines (text é\\x1b[2J\\u202e\\t')\n"},
	} {
		var out strings.Builder
		test.say(Messages(&out, slog.LevelWarn))
		if out.String() != test.want {
			t.Errorf("%q, want %q", &out, test.want)
		}
	}
}
