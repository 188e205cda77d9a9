#!/bin/sh
# Obtains the scenes of Meta-World: fetches the pinned Python package without installing it and unpacks its models,
# meshes and textures into .deps/metaworld. Says in one line what was done. Exit status 0 even when they cannot be had:
# the ml1/ families then say on use what is missing. A wheel put into .deps by hand is used without a network.
set -u

version=3.1.1
root=$(cd "$(dirname "$0")/.." && pwd)
deps=$root/.deps
home=$deps/metaworld

complete() { [ "$(cat "$home/VERSION" 2>/dev/null)" = "$version" ] && [ -d "$home/assets/sawyer_xyz" ]; }

wheel() {
	for file in "$deps"/metaworld-$version-*.whl; do
		[ -f "$file" ] && echo "$file" && return
	done
}

fetch() {
	command -v python3 >/dev/null || { why="python3 is not installed"; return 1; }
	mkdir -p "$deps" || { why="$deps cannot be written"; return 1; }
	if [ -z "$(wheel)" ]; then
		python3 -m pip --version >/dev/null 2>&1 || { why="python3 has no pip"; return 1; }
		python3 -m pip download --quiet --disable-pip-version-check --only-binary=:all: --no-deps --python-version 3.12 \
			--timeout 20 --retries 2 --dest "$deps" "metaworld==$version" >"$deps/pip.log" 2>&1 ||
			{ why="pip could not download it (see .deps/pip.log)"; return 1; }
	fi
	# Unpack beside the final place and move, so that an interrupted run leaves nothing half done.
	new=$deps/metaworld.new
	rm -rf "$new" && mkdir -p "$new" &&
		python3 -m zipfile -e "$(wheel)" "$new/wheel" 2>"$deps/pip.log" ||
		{ why="the wheel $(wheel) cannot be unpacked"; return 1; }
	mv "$new/wheel/metaworld/assets" "$new/assets" && rm -rf "$new/wheel" ||
		{ why="the wheel does not hold what was expected"; return 1; }
	echo "$version" >"$new/VERSION"
	rm -rf "$home" && mv "$new" "$home" && complete || { why="$home could not be made"; return 1; }
}

if complete; then
	echo "Meta-World $version is in .deps/metaworld"
elif fetch; then
	echo "Meta-World $version unpacked into .deps/metaworld"
else
	echo "Building without the scenes of Meta-World because $why; to add them, give python3 a working pip, or put the wheel metaworld==$version into .deps, and run make again"
fi
