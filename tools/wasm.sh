#!/usr/bin/env bash
# Builds the programs of wasm/ for the browser into bin/wasm, packed as static sites serve them, with manifest.json, which
# `nacre site` reads. Brotli at full strength takes two minutes for the kernel; NACRE_WASM_FAST=1 packs quickly instead.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

out=bin/wasm
go=${GO:-go}

if ! command -v node >/dev/null; then
	echo "Building no programs for the browser because there is no Node; install Node 18 or newer and run make site again" >&2
	exit 1
fi
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
for dir in wasm/*/; do
	name=$(basename "$dir")
	GOOS=js GOARCH=wasm CGO_ENABLED=0 "$go" build -buildvcs=false -trimpath -ldflags "-s -w" -o "$temp/$name.wasm" "./wasm/$name"
done
# Go's support script belongs to the version that compiled the programs. Before Go 1.24 it lay in misc/wasm.
exec_js=$("$go" env GOROOT)/lib/wasm/wasm_exec.js
mkdir -p "$out"
node tools/wasm.mjs "$out" "$exec_js" "$temp"/*.wasm
