package app

import (
	"strings"
	"testing"
)

// Addresses of machines and people, and keys, are taken out of a bundle; versions, times and paths stay.
func TestScrubbing(t *testing.T) {
	s := newScrubber()
	for text, gone := range map[string]string{
		"dial 10.1.2.3:5432: refused":                                            "10.1.2.3",
		"from 192.168.0.255 to 172.16.31.1":                                      "192.168 172.16",
		"route to [fe80::1ff:fe23:4567:890a]":                                    "fe80 890a",
		"2001:0db8:85a3:0000:0000:8a2e:0370:7334 is down":                        "2001 7334",
		"ether 3c:22:fb:aa:01:9e":                                                "3c:22",
		"lookup db.internal.corp: no such host":                                  "db. internal corp",
		"gpu-07.lan and nas.home.arpa and printer.local.":                        "gpu-07 nas printer",
		"tracking at http://mlflow:5000/api":                                     "mlflow",
		"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ me@x":                            "AAAA",
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMvA7x+2/Z= ada":                    "AAAA IMvA7x",
		"ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY=":                   "AAAA E2Vj",
		"key=AAAAB3NzaC1yc2EAAAADAQABAAABAQ==":                                   "AAAA",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n": "MIIE",
		"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk":                   "b3Bl",
		"mail ada.lovelace@example.com please":                                   "ada example",
	} {
		got := s.scrub(text)
		for _, word := range strings.Fields(gone) {
			if strings.Contains(got, word) {
				t.Errorf("%q gives %q, which has %s", text, got, word)
			}
		}
	}
	for _, text := range []string{
		"nacre 0.9.1, go1.27.4, linux/amd64", "20:36:23 and 2026-11-29T20:36:23Z", "MuJoCo 3.3.0, driver 550.54.15",
		"http://localhost:8888/lab on 127.0.0.1", "nacre/internal/plainfile.Read(0xc000)", "pearl.local_steps = 3",
		"github.com/spf13/cobra@v1.9.1", "point-goal seed 3: 0.125:0.25",
	} {
		if got := s.scrub(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
