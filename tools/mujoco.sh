#!/bin/sh
# Obtains MuJoCo for this project and tells the build where it is.
#
#   tools/mujoco.sh          fetch it if it is not there; says in one line what was done. Exit status 0 even when it
#                            cannot be had: the build then goes on without the MuJoCo families.
#   tools/mujoco.sh flags    print CGO_CFLAGS=... CGO_LDFLAGS=... GOFLAGS=... on one line, quoted for the shell, or
#                            nothing where there is no MuJoCo. Use: eval "export $(tools/mujoco.sh flags)"
#
# First choice is the Python wheel of the version that Meta-World pins, unpacked into .deps/mujoco without installing
# anything; a wheel put into .deps by hand is used without a network. Second choice is the system's libmujoco-dev.
set -u

version=3.3.0
root=$(cd "$(dirname "$0")/.." && pwd)
deps=$root/.deps
home=$deps/mujoco

have_wheel() {
	[ "$(cat "$home/VERSION" 2>/dev/null)" = "$version" ] && [ -f "$home/include/mujoco/mujoco.h" ] &&
		{ [ -e "$home/lib/libmujoco.so" ] || [ -e "$home/lib/libmujoco.dylib" ]; }
}

system_prefix() {
	for prefix in ${NACRE_SYSTEM_PREFIXES-/usr /usr/local /opt/homebrew}; do
		[ -f "$prefix/include/mujoco/mujoco.h" ] || continue
		for lib in "$prefix"/lib/libmujoco.so "$prefix"/lib/*/libmujoco.so "$prefix"/lib/libmujoco.dylib; do
			[ -e "$lib" ] && echo "$prefix" "$(dirname "$lib")" && return 0
		done
	done
	return 1
}

# Wheels are per Python version, but the library inside is the same; naming one makes any Python 3 able to fetch it.
platform() {
	case "$(uname -s)-$(uname -m)" in
	Linux-x86_64) echo manylinux2014_x86_64 ;;
	Linux-aarch64 | Linux-arm64) echo manylinux2014_aarch64 ;;
	Darwin-arm64) echo macosx_11_0_arm64 ;;
	Darwin-x86_64) echo macosx_10_16_x86_64 ;;
	*) return 1 ;;
	esac
}

wheel() {
	ls "$deps"/mujoco-$version-*"${1#manylinux2014_}".whl 2>/dev/null | head -n 1
}

fetch() {
	plat=$(platform) || { why="there is no MuJoCo wheel for $(uname -s) on $(uname -m)"; return 1; }
	command -v python3 >/dev/null || { why="python3 is not installed"; return 1; }
	mkdir -p "$deps" || { why="$deps cannot be written"; return 1; }
	if [ -z "$(wheel "$plat")" ]; then
		python3 -m pip --version >/dev/null 2>&1 || { why="python3 has no pip"; return 1; }
		python3 -m pip download --quiet --disable-pip-version-check --only-binary=:all: --no-deps \
			--implementation cp --python-version 3.12 --abi cp312 --platform "$plat" \
			--timeout 20 --retries 2 --dest "$deps" "mujoco==$version" >"$deps/pip.log" 2>&1 ||
			{ why="pip could not download it (see .deps/pip.log)"; return 1; }
	fi
	# Unpack beside the final place and move, so that an interrupted run leaves nothing half done.
	new=$deps/mujoco.new
	rm -rf "$new" && mkdir -p "$new/lib" &&
		python3 -m zipfile -e "$(wheel "$plat")" "$new/wheel" 2>"$deps/pip.log" ||
		{ why="the wheel $(wheel "$plat") cannot be unpacked"; return 1; }
	mv "$new/wheel/mujoco/include" "$new/include" && mv "$new"/wheel/mujoco/libmujoco.* "$new/lib/" &&
		rm -rf "$new/wheel" || { why="the wheel does not hold what was expected"; return 1; }
	for lib in "$new"/lib/libmujoco.so.*; do
		[ -e "$lib" ] && ln -s "$(basename "$lib")" "$new/lib/libmujoco.so"
	done
	for lib in "$new"/lib/libmujoco.*.dylib; do
		[ -e "$lib" ] && ln -s "$(basename "$lib")" "$new/lib/libmujoco.dylib"
	done
	echo "$version" >"$new/VERSION"
	rm -rf "$home" && mv "$new" "$home" && have_wheel || { why="$home could not be made"; return 1; }
}

flags() {
	tags="${GOFLAGS:+$GOFLAGS }-tags=mujoco"
	if have_wheel; then
		# The program at bin/ finds the library beside it wherever the project is moved; tests run elsewhere and use
		# the absolute path. The definition is there to make Go compile again when the version changes.
		case "$(uname -s)" in
		Darwin) origin='@executable_path' ;;
		*) origin='$ORIGIN' ;;
		esac
		printf "CGO_CFLAGS='-O2 -I%s/include -DNACRE_MUJOCO_%s' CGO_LDFLAGS='-L%s/lib -Wl,-rpath,%s/../.deps/mujoco/lib -Wl,-rpath,%s/lib' GOFLAGS='%s'\n" \
			"$home" "$(echo $version | tr . _)" "$home" "$origin" "$home" "$tags"
	elif found=$(system_prefix); then
		printf "CGO_CFLAGS='-O2 -I%s/include' CGO_LDFLAGS='-L%s' GOFLAGS='%s'\n" "${found% *}" "${found#* }" "$tags"
	fi
}

case "${1-}" in
flags) flags ;;
"")
	if have_wheel; then
		echo "MuJoCo $version is in .deps/mujoco"
	elif fetch; then
		echo "MuJoCo $version unpacked into .deps/mujoco"
	elif found=$(system_prefix); then
		echo "MuJoCo: using the system's library in ${found#* } because $why"
	else
		echo "Building without MuJoCo because $why; to add it later, install python3 with pip (or libmujoco-dev) and run make again"
	fi
	;;
*)
	echo "usage: tools/mujoco.sh [flags]" >&2
	exit 2
	;;
esac
