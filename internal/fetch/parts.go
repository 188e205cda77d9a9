package fetch

import (
	"fmt"
	"path"
	"strings"

	"nacre/internal/home"
)

// Part is a part to fetch: the files of a Python package that are not Python.
type Part struct {
	Name    string // "MuJoCo"
	Version string // "3.3.0"
	Folder  string // folder under home.Dir

	python string   // Python package to use instead if it is installed; "" for none
	pip    []string // arguments of pip download, the requirement last
	uv     string   // uv's name for the platform

	// reports whether a file is a wheel of the part for this machine, for any Python
	wheel func(file string) bool
	take  func(member string) (to string) // place of a member of the wheel; "" if it is not taken
	needs string                          // file that the expected wheel has
}

func (p Part) String() string { return p.Name + " " + p.Version }

// sums are the SHA-256 of the wheels that pip downloads. A wheel of the same name with another content is refused. A
// wheel for another Python, put there by hand, has its own name and is checked by the sums inside each zip file.
var sums = map[string]string{
	"mujoco-3.3.0-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl": "607df8af9e01831d624fc5ffcb637689" +
		"9fb47c1e999a0e38b8388622da712f64",
	"mujoco-3.3.0-cp312-cp312-manylinux_2_17_aarch64.manylinux2014_aarch64.whl": "f526587b05879842e7380feda0a20745" +
		"5e78cdc05c8672c77d292383c145ab7e",
	"mujoco-3.3.0-cp312-cp312-macosx_11_0_arm64.whl": "2f435f34ea8c41711e68c635ada89c73" +
		"47e9d53a330c2ff748723a96495d8710",
	"mujoco-3.3.0-cp312-cp312-macosx_10_16_x86_64.whl": "32a7671069799e69f51bf515f6f97d8b" +
		"2c852a0de065129033347e616fe4e9ed",
	"wgpu-0.32.0-py3-none-manylinux_2_28_x86_64.whl": "6499a31b5a29a10b4f1089fea4a08064" +
		"11f42605fa86b6c0b543a07ca0de8568",
	"wgpu-0.32.0-py3-none-manylinux_2_28_aarch64.whl": "00454ba1bc794d38c8365f4ad29f381b" +
		"88ce0a7f115133bfaa6f1dfad7eb2764",
	"wgpu-0.32.0-py3-none-macosx_11_0_arm64.whl": "6c3f654ea01ab2de8a2903354ced02a3" +
		"c6ef161d0fba1aa4fea60aa86d021908",
	"wgpu-0.32.0-py3-none-macosx_10_9_x86_64.whl": "cfd3967616a3c42e2b7a234407df3866" +
		"8c697f5aa505d56e0814d647b6746302",
	"metaworld-3.1.1-py3-none-any.whl": "99e25d9baf97f2f1a19ca89c0d2ca9c6" +
		"a2b396d9a9be81729de64eedc683f0d3",
}

// Parts lists MuJoCo (library and headers) for a system and a processor, named as in Go, and the scenes of Meta-World.
func Parts(system, processor string) ([]Part, error) {
	wheels := map[string]struct{ pip, uv, begin, end string }{
		"linux/amd64":  {"manylinux2014_x86_64", "x86_64-manylinux2014", "manylinux", "x86_64"},
		"linux/arm64":  {"manylinux2014_aarch64", "aarch64-manylinux2014", "manylinux", "aarch64"},
		"darwin/arm64": {"macosx_11_0_arm64", "aarch64-apple-darwin", "macosx", "arm64"},
		"darwin/amd64": {"macosx_10_16_x86_64", "x86_64-apple-darwin", "macosx", "x86_64"},
	}
	w, ok := wheels[system+"/"+processor]
	if !ok {
		return nil, fmt.Errorf("nacre uses no MuJoCo on %s/%s; expected linux or darwin on amd64 or arm64",
			system, processor)
	}
	// A wheel is made for one version of Python, but the library inside is the same. Naming one version lets any Python
	// 3 fetch it.
	python := []string{"--only-binary=:all:", "--no-deps", "--implementation", "cp", "--python-version", "3.12"}
	return []Part{
		{
			Name: "MuJoCo", Version: home.MuJoCoVersion, Folder: home.MuJoCo,
			python: "mujoco", uv: w.uv,
			pip: append(python, "--abi", "cp312", "--platform", w.pip, "mujoco=="+home.MuJoCoVersion),
			wheel: func(file string) bool {
				tag := strings.TrimSuffix(file[strings.LastIndex(file, "-")+1:], ".whl")
				return matches(file, "mujoco-"+home.MuJoCoVersion+"-") && strings.HasPrefix(tag, w.begin) &&
					strings.HasSuffix(tag, w.end)
			},
			take: func(member string) string {
				switch dir, base := path.Split(member); {
				case strings.HasPrefix(member, "mujoco/include/"):
					return strings.TrimPrefix(member, "mujoco/")
				case dir == "mujoco/" && strings.HasPrefix(base, "libmujoco."):
					return "lib/" + base
				case strings.HasSuffix(dir, ".dist-info/") && strings.HasPrefix(base, "LICENSE"):
					return base
				}
				return ""
			},
			needs: "lib/" + home.LibraryFor(system),
		},
		{
			Name: "Meta-World", Version: home.MetaWorldVersion, Folder: home.MetaWorld,
			python: "metaworld", uv: w.uv,
			pip:   append(python[:2:2], "--python-version", "3.12", "metaworld=="+home.MetaWorldVersion),
			wheel: func(file string) bool { return matches(file, "metaworld-"+home.MetaWorldVersion+"-") },
			take: func(member string) string {
				if strings.HasPrefix(member, "metaworld/assets/") {
					return strings.TrimPrefix(member, "metaworld/")
				}
				if dir, base := path.Split(member); strings.HasSuffix(dir, ".dist-info/") &&
					strings.HasPrefix(base, "LICENSE") {
					return base
				}
				return ""
			},
			needs: "assets/sawyer_xyz/sawyer_push_v3.xml",
		},
	}, nil
}

// WebGPU is the library for WebGPU, with its headers, for a system and a processor, named as in Go. It is the library
// in the Python package wgpu.
func WebGPU(system, processor string) (Part, error) {
	w, ok := map[string]struct{ pip, uv string }{
		"linux/amd64":  {"manylinux_2_28_x86_64", "x86_64-manylinux_2_28"},
		"linux/arm64":  {"manylinux_2_28_aarch64", "aarch64-manylinux_2_28"},
		"darwin/arm64": {"macosx_11_0_arm64", "aarch64-apple-darwin"},
		"darwin/amd64": {"macosx_10_9_x86_64", "x86_64-apple-darwin"},
	}[system+"/"+processor]
	if !ok {
		return Part{}, fmt.Errorf("nacre uses no WebGPU on %s/%s; expected linux or darwin on amd64 or arm64",
			system, processor)
	}
	return Part{
		Name: "WebGPU's library", Version: home.WebGPUVersion, Folder: home.WebGPU,
		pip: []string{"--only-binary=:all:", "--no-deps", "--platform", w.pip, "wgpu==" + home.WebGPUVersion}, uv: w.uv,
		wheel: func(file string) bool { return file == "wgpu-"+home.WebGPUVersion+"-py3-none-"+w.pip+".whl" },
		take: func(member string) string {
			switch base := path.Base(member); {
			case member == "wgpu/resources/"+home.WebGPULibraryFor(system):
				return "lib/" + base
			case member == "wgpu/resources/webgpu.h", member == "wgpu/resources/wgpu.h":
				return "include/" + base
			case strings.Contains(member, ".dist-info/") && strings.HasPrefix(base, "LICENSE"):
				return base
			}
			return ""
		},
		needs: "lib/" + home.WebGPULibraryFor(system),
	}, nil
}

func matches(file, begin string) bool {
	return strings.HasPrefix(file, begin) && strings.HasSuffix(file, ".whl")
}
