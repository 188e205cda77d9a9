package bundle

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func Example() {
	b, err := New()
	if err != nil {
		fmt.Println(36, "scenes") // there are none on this machine
		return
	}
	fmt.Println(len(b.Scenes), "scenes")
	// Output: 36 scenes
}

// A model names files from its own folder, in what it includes too, and a texture shrinks to its mean.
func TestNamedFiles(t *testing.T) {
	b := &Bundle{folder: t.TempDir()}
	for name, text := range map[string]string{
		"models/a.xml": `<mujoco><include file="../parts/b.xml"/><include file="../parts/b.xml"/><!-- <mesh file="old.stl"/> --></mujoco>`,
		"parts/b.xml":  `<mujocoinclude><asset><mesh name="m" file="../meshes/c.stl"/><texture file="../d.png"/></asset></mujocoinclude>`,
		"meshes/c.stl": "mesh",
		"models/bad":   "<mujoco>",
	} {
		file := b.path(name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := b.named(nil, "models/a.xml", "models")
	if want := []string{"models/a.xml", "parts/b.xml", "meshes/c.stl", "d.png"}; err != nil ||
		!slices.Equal(files, want) {
		t.Errorf("the model names %v, %v; expected %v", files, err, want)
	}
	if data, err := b.Read("meshes/c.stl"); err != nil || string(data) != "mesh" {
		t.Errorf("the mesh is %q, %v", data, err)
	}
	if _, err := b.named(nil, "models/none.xml", "models"); err == nil || !strings.Contains(err.Error(), "none.xml") {
		t.Errorf("no model: %v", err)
	}
	if _, err := b.named(nil, "models/bad", "models"); err == nil || !strings.Contains(err.Error(), "EOF") {
		t.Errorf("a model without an end: %v", err)
	}
}

// The packed scenes name no file that is not among them, and their textures have one pixel.
func TestScenes(t *testing.T) {
	b, err := New()
	if err != nil {
		t.Skip(err)
	}
	files := b.Scenes["sawyer_xyz/sawyer_push_v3.xml"]
	if len(files) < 20 || files[0] != "sawyer_xyz/sawyer_push_v3.xml" {
		t.Fatalf("the scene of push needs %v", files)
	}
	for _, file := range files {
		data, err := b.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(file) == ".png" {
			picture, err := png.Decode(bytes.NewReader(data))
			if err != nil || picture.Bounds().Dx() != 1 || picture.Bounds().Dy() != 1 {
				t.Errorf("%s is a picture of %v, %v", file, picture.Bounds(), err)
			}
		}
	}
}
