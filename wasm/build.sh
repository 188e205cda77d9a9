#!/usr/bin/env bash
# Builds the programs of wasm/ for the browser into bin/wasm, packed as static sites serve them, with manifest.json, which
# `nacre site` reads. Brotli at full strength takes two minutes for the kernel; NACRE_WASM_FAST=1 packs quickly instead.
# `build.sh test PACKAGE ARGS...` runs a package's tests as the browser would, in Node.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

out=bin/wasm
go=${GO:-go}

if ! command -v node >/dev/null; then
	echo "The programs for the browser need Node: install Node 18 or newer and run make site again" >&2
	exit 1
fi

compile() {
	GOOS=js GOARCH=wasm CGO_ENABLED=0 "$go" "$1" -trimpath "${@:2}"
}

if [ "${1:-build}" = test ]; then
	compile test -exec "$("$go" env GOROOT)/lib/wasm/go_js_wasm_exec" "${@:2}"
	exit
fi
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
for dir in wasm/[a-z]*/; do
	name=$(basename "$dir")
	echo "compiling wasm/$name"
	compile build -buildvcs=false -ldflags "-s -w" -o "$temp/$name.wasm" "./wasm/$name"
done
mkdir -p "$out"
[ -n "${NACRE_WASM_FAST:-}" ] || echo "packing: about two minutes"
# Go's support script belongs to the version that compiled the programs.
node wasm/pack.mjs "$out" "$("$go" env GOROOT)/lib/wasm/wasm_exec.js" "$temp"/*.wasm
