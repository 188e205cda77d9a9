#!/usr/bin/env bash
# Builds the programs of wasm/ for the browser into bin/wasm, packed as static sites serve them, with manifest.json, which
# `nacre site` reads. Brotli at full strength takes two minutes for the kernel; NACRE_WASM_FAST=1 packs quickly instead.
# `build.sh test PACKAGE ARGS...` runs a package's tests as the browser would, in Node; `build.sh program PACKAGE FOLDER`
# writes one program with Go's scripts that run it there, and `build.sh tests PACKAGE FOLDER` a package's tests. mujoco.cjs
# gives them the front end's MuJoCo.
#
# Vector instructions are in Go's experiment simd, whose interface is that of one version: the programs are compiled by it,
# whichever compiles the rest. Where it cannot be had they are compiled without.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

out=bin/wasm
copies=$PWD/.deps/browser
go=${GO:-go}
vectors=go1.27.4

if ! command -v node >/dev/null; then
	echo "The programs for the browser need Node: install Node 18 or newer and run make site again" >&2
	exit 1
fi

if GOTOOLCHAIN=$vectors "$go" version >/dev/null 2>&1; then
	export GOTOOLCHAIN=$vectors GOEXPERIMENT=simd
else
	echo "Compiling for the browser without vector instructions, several times slower: $vectors cannot be had" >&2
fi

# Puts the files of wasm/_replaced into copies of their modules and writes a go.mod that uses the copies: Go refuses to
# overlay files of its module cache.
replace_files() {
	local file package module version dir
	mkdir -p "$copies"
	cp go.mod go.sum "$copies"
	find wasm/_replaced -name '*.go' | sort | while read -r file; do
		package=$(dirname "${file#wasm/_replaced/}")
		read -r module version dir < <("$go" list -f '{{with .Module}}{{.Path}} {{.Version}} {{.Dir}}{{end}}' "$package")
		if [ ! -d "$copies/$module@$version" ]; then
			mkdir -p "$(dirname "$copies/$module")"
			cp -r "$dir" "$copies/$module@$version"
			chmod -R u+w "$copies/$module@$version"
		fi
		cmp -s "$file" "$copies/$module@$version/${package#"$module"}/$(basename "$file")" ||
			cp "$file" "$copies/$module@$version/${package#"$module"}/"
		"$go" mod edit -replace "$module=$copies/$module@$version" "$copies/go.mod"
	done
}

compile() {
	GOOS=js GOARCH=wasm CGO_ENABLED=0 "$go" "$1" -modfile "$copies/go.mod" -trimpath "${@:2}"
}

replace_files

# Go's scripts belong to the version that compiled the programs.
scripts=$("$go" env GOROOT)/lib/wasm

case ${1:-build} in
test)
	NODE_OPTIONS="--require $PWD/wasm/mujoco.cjs" compile test -exec "$scripts/go_js_wasm_exec" "${@:2}"
	exit
	;;
program | tests)
	if [ "$1" = program ]; then compile build -o "$3/$(basename "$2").wasm" "$2"; else compile test -c -o "$3/test.wasm" "$2"; fi
	cp "$scripts/wasm_exec.js" "$scripts/wasm_exec_node.js" "$3"
	exit
	;;
esac
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
for dir in wasm/[a-z]*/; do
	name=$(basename "$dir")
	echo "compiling wasm/$name"
	compile build -buildvcs=false -ldflags "-s -w" -o "$temp/$name.wasm" "./wasm/$name"
done
mkdir -p "$out"
[ -n "${NACRE_WASM_FAST:-}" ] || echo "packing: about two minutes"
node wasm/pack.mjs "$out" "$scripts/wasm_exec.js" "$temp"/*.wasm
