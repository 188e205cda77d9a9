package home_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"nacre/internal/home"
)

func ExampleDir() {
	os.Setenv(home.Variable, "/srv/nacre")
	defer os.Unsetenv(home.Variable)
	fmt.Println(home.Dir())
	fmt.Println(home.LibraryFor("linux"), home.LibraryFor("darwin"))
	// Output:
	// /srv/nacre <nil>
	// libmujoco.so.3.3.0 libmujoco.3.3.0.dylib
}

func TestPlaces(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if program, err = filepath.EvalSymlinks(program); err != nil {
		t.Fatal(err)
	}
	beside := filepath.Join(filepath.Dir(program), "a", "b")
	t.Setenv(home.Variable, "")
	t.Setenv("XDG_CACHE_HOME", "/cache")
	t.Setenv("HOME", "/home/you")
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := home.Places("a", "b"), []string{filepath.Join(cache, "nacre", "a", "b"), beside}; !slices.Equal(got,
		want) {
		t.Errorf("places %v, want %v", got, want)
	}
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	if dir, err := home.Dir(); err == nil {
		t.Errorf("a user without a home has the folder %s", dir)
	}
	if got := home.Places("a", "b"); !slices.Equal(got, []string{beside}) {
		t.Errorf("places without a home: %v", got)
	}
}
