package contents

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A file is replaced by one written beside it: where the folder does not allow that, the file is not writable, whatever
// its own mode says. An administrator may write everywhere, so the test looks with another user's eyes.
func TestWritableAsksTheFileSystem(t *testing.T) {
	dir, err := os.MkdirTemp("", "contents")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, step := range []error{
		os.Mkdir(in("sub"), 0o777), os.Symlink("../n.ipynb", in("sub/link.ipynb")),
		os.WriteFile(in("n.ipynb"), []byte(notebook), 0o666), os.WriteFile(in("sub/n.ipynb"), []byte(notebook), 0o666),
		os.Chmod(in("n.ipynb"), 0o666), os.Chmod(in("sub/n.ipynb"), 0o666), os.Chmod(in("sub"), 0o777),
		os.Chmod(dir, 0o555),
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
	defer os.Chmod(dir, 0o755)
	if os.Geteuid() == 0 { // of this thread only, and of what it asks the file system
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := unix.Setfsuid(65534); err != nil {
			t.Fatal(err)
		}
		defer unix.Setfsuid(0)
	}
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for p, want := range map[string]bool{"": false, "n.ipynb": false, "sub": true, "sub/n.ipynb": true,
		"sub/link.ipynb": false} {
		if m, err := s.Get(p, GetOptions{}); err != nil || m.Writable != want {
			t.Errorf("%q: %+v, %v, want writable %v", p, m, err, want)
		}
	}
	if _, _, err := s.Save("n.ipynb", nb(notebook)); status(err) != 403 ||
		!strings.Contains(err.Error(), "write-protected") {
		t.Errorf("%v", err)
	}
}
