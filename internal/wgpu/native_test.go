//go:build (linux || darwin) && (amd64 || arm64) && !nogpu

package wgpu

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"nacre/internal/home"
)

// The structs have the sizes and offsets that a C compiler makes of the library's own header.
func TestStructs(t *testing.T) {
	cc, err := exec.LookPath("cc")
	include := filepath.Join(filepath.Dir(filepath.Dir(paths()[0])), "include")
	if _, missing := os.Stat(filepath.Join(include, "wgpu.h")); err != nil || missing != nil ||
		os.Getenv(EnvLibrary) != "" {
		t.Skipf("it takes a C compiler and the headers of %s: run nacre setup --gpu", home.WebGPU)
	}
	var a adapterInfo
	var l limits
	var d deviceDescriptor
	var p pipelineDescriptor
	var e layoutEntry
	var g groupEntry
	var b bufferDescriptor
	var s shaderSource
	want := map[string]uintptr{
		"sizeof(WGPUStringView)":                unsafe.Sizeof(stringView{}),
		"sizeof(WGPUBufferMapCallbackInfo)":     unsafe.Sizeof(callbackInfo{}),
		"sizeof(WGPURequestDeviceCallbackInfo)": unsafe.Sizeof(callbackInfo{}),
		"offsetof(WGPUBufferMapCallbackInfo, userdata1)": unsafe.Offsetof(
			callbackInfo{}.user1),
		"sizeof(WGPUUncapturedErrorCallbackInfo)":                     unsafe.Sizeof(uncapturedInfo{}),
		"sizeof(WGPUAdapterInfo)":                                     unsafe.Sizeof(a),
		"offsetof(WGPUAdapterInfo, device)":                           unsafe.Offsetof(a.device),
		"offsetof(WGPUAdapterInfo, adapterType)":                      unsafe.Offsetof(a.kind),
		"sizeof(WGPULimits)":                                          unsafe.Sizeof(l),
		"offsetof(WGPULimits, maxStorageBuffersPerShaderStage)":       unsafe.Offsetof(l.storageBuffers),
		"offsetof(WGPULimits, maxStorageBufferBindingSize)":           unsafe.Offsetof(l.storageBinding),
		"offsetof(WGPULimits, maxBufferSize)":                         unsafe.Offsetof(l.bufferSize),
		"offsetof(WGPULimits, maxComputeWorkgroupStorageSize)":        unsafe.Offsetof(l.sharedBytes),
		"offsetof(WGPULimits, maxComputeInvocationsPerWorkgroup)":     unsafe.Offsetof(l.invocations),
		"sizeof(WGPUDeviceDescriptor)":                                unsafe.Sizeof(d),
		"offsetof(WGPUDeviceDescriptor, requiredLimits)":              unsafe.Offsetof(d.limits),
		"offsetof(WGPUDeviceDescriptor, deviceLostCallbackInfo)":      unsafe.Offsetof(d.deviceLost),
		"offsetof(WGPUDeviceDescriptor, uncapturedErrorCallbackInfo)": unsafe.Offsetof(d.uncapturedErrors),
		"sizeof(WGPUShaderSourceWGSL)":                                unsafe.Sizeof(s),
		"offsetof(WGPUShaderSourceWGSL, code)":                        unsafe.Offsetof(s.code),
		"sizeof(WGPUShaderModuleDescriptor)":                          unsafe.Sizeof(shaderDescriptor{}),
		"sizeof(WGPUComputePipelineDescriptor)":                       unsafe.Sizeof(p),
		"offsetof(WGPUComputePipelineDescriptor, compute.module)":     unsafe.Offsetof(p.module),
		"offsetof(WGPUComputePipelineDescriptor, compute.entryPoint)": unsafe.Offsetof(p.entry),
		"sizeof(WGPUBindGroupLayoutEntry)":                            unsafe.Sizeof(e),
		"offsetof(WGPUBindGroupLayoutEntry, visibility)":              unsafe.Offsetof(e.visibility),
		"offsetof(WGPUBindGroupLayoutEntry, buffer.type)":             unsafe.Offsetof(e.kind),
		"offsetof(WGPUBindGroupLayoutEntry, buffer.minBindingSize)":   unsafe.Offsetof(e.minimum),
		"sizeof(WGPUBindGroupLayoutDescriptor)":                       unsafe.Sizeof(listDescriptor{}),
		"sizeof(WGPUPipelineLayoutDescriptor)":                        unsafe.Sizeof(layoutDescriptor{}),
		"sizeof(WGPUBindGroupEntry)":                                  unsafe.Sizeof(g),
		"offsetof(WGPUBindGroupEntry, buffer)":                        unsafe.Offsetof(g.buffer),
		"offsetof(WGPUBindGroupEntry, size)":                          unsafe.Offsetof(g.size),
		"sizeof(WGPUBindGroupDescriptor)":                             unsafe.Sizeof(groupDescriptor{}),
		"offsetof(WGPUBindGroupDescriptor, entries)": unsafe.Offsetof(
			groupDescriptor{}.entries),
		"sizeof(WGPUBufferDescriptor)":                                            unsafe.Sizeof(b),
		"offsetof(WGPUBufferDescriptor, size)":                                    unsafe.Offsetof(b.size),
		"sizeof(WGPUInstanceEnumerateAdapterOptions)":                             unsafe.Sizeof(enumerateOptions{}),
		"WGPUSType_ShaderSourceWGSL":                                              wgslSource,
		"WGPUCallbackMode_AllowSpontaneous":                                       spontaneous,
		"WGPUShaderStage_Compute":                                                 forCompute,
		"WGPUMapMode_Read":                                                        mapForReading,
		"WGPUAdapterType_CPU":                                                     onProcessor,
		"WGPUInstanceBackend_Primary & ~WGPUInstanceBackend_BrowserWebGPU":        primary,
		"WGPUErrorType_OutOfMemory":                                               outOfMemory,
		"WGPUBufferUsage_Storage|WGPUBufferUsage_CopySrc|WGPUBufferUsage_CopyDst": storageUse,
		"WGPUBufferUsage_Uniform|WGPUBufferUsage_CopyDst":                         uniformUse,
		"WGPUBufferUsage_MapRead|WGPUBufferUsage_CopyDst":                         stagingUse,
	}
	var text strings.Builder
	text.WriteString("#include <stddef.h>\n#include <stdio.h>\n#include \"wgpu.h\"\nint main(void) {\n" +
		"  int wrong = 0;\n")
	for name, n := range want {
		fmt.Fprintf(&text, "  if ((%s) != %d) { printf(\"%s is %%ld, not %d\\n\", (long)(%s)); wrong = 1; }\n", name, n,
			name, n, name)
	}
	text.WriteString("  return wrong;\n}\n")
	file := filepath.Join(t.TempDir(), "structs")
	if err := os.WriteFile(file+".c", []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(cc, "-std=gnu11", "-I", include, "-o", file, file+".c").CombinedOutput()
	if err == nil {
		out, err = exec.Command(file).CombinedOutput()
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
