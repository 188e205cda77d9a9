#!/usr/bin/env bash
# Runs the quick tests, those of go test -short, under circumstances on which no verdict may hang, one after the other, and
# says for each which packages have failed. Linux; what cannot be had here is said and left out.
#
#   bench/circumstances.sh [NAME...]             default all; bench/circumstances.sh list prints them
#   bench/circumstances.sh chroot                make test in an empty Debian with what README asks for (release/root.sh)
#   PACKAGES="./server/... ./cmd/..." bench/...  tests of these only, default ./...
#
# The test programs are built once and run in their packages' folders, as go test does it; but for the folders with other
# names, where everything is built anew. What they print is in out/circumstances/NAME, or in the folder that LOGS names.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
packages=${PACKAGES:-./...} logs=${LOGS:-$PWD/out/circumstances} cores=$(nproc) status=0
all=(user umask-077 umask-000 locale-C locale-tr locale-de time-kathmandu time-apia time-newfoundland terminal-dumb terminal-none
	ipv4-only ipv6-only core-1 gomaxprocs-1 gomaxprocs-16 busy-1 busy-2 busy-3 blanks link)

# build makes the test programs, if there are none, and the list of them: program, package, folder.
build() {
	[ ! -f "$work/list" ] || return 0
	echo "building the test programs"
	mkdir -p "$work/bin"
	# shellcheck disable=SC2086
	go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}' $packages | grep . >"$work/packages"
	while read -r package folder; do
		printf '%s\t%s\t%s\n' "$work/bin/${package//\//_}.test" "$package" "$folder"
	done <"$work/packages" >"$work/list"
	cut -f 1,2 "$work/list" | xargs -P "$cores" -L 1 go test -c -o
	chmod -R a+rX "$work/bin"
}

# try NAME COMMAND... runs every test program as the last argument of a command.
try() {
	local name=$1 program package folder start=$SECONDS
	shift
	build
	rm -rf "$logs/$name" && mkdir -p "$logs/$name"
	while IFS=$'\t' read -r program package folder; do
		while [ "$(jobs -rp | wc -l)" -ge "$cores" ]; do wait -n || true; done
		{ (cd "$folder" && "$@" "$program" -test.short -test.timeout=30m) </dev/null >"$logs/$name/${package//\//_}" 2>&1 ||
			echo "$package" >>"$logs/$name.failed"; } &
	done <"$work/list"
	wait
	report "$name" "$(wc -l <"$work/list")" $((SECONDS - start))
}

report() { # NAME PACKAGES SECONDS
	if [ ! -s "$logs/$1.failed" ]; then
		echo "$1: all of $2 packages pass, in $3 s"
		return
	fi
	status=1
	echo "$1: of $2 packages $(wc -l <"$logs/$1.failed") fail, in $3 s: $(sort "$logs/$1.failed" | tr '\n' ' ')"
	while read -r package; do
		grep -n -A 3 -e '^ *--- FAIL' -e '^panic:' "$logs/$1/${package//\//_}" | head -n 20 || true
	done <"$logs/$1.failed"
}

# in_folder NAME FOLDER runs go test in a folder, as its name is written.
in_folder() {
	local start=$SECONDS
	mkdir -p "$logs/$1"
	# shellcheck disable=SC2086
	(cd "$2" && go test -short -count=1 -timeout 30m $packages) >"$logs/$1/all" 2>&1 || true
	sed -n 's/^FAIL\t\([^ \t]*\).*/\1/p' "$logs/$1/all" >"$logs/$1.failed"
	while read -r package; do ln -sf all "$logs/$1/${package//\//_}"; done <"$logs/$1.failed"
	report "$1" "$(grep -c -e '^ok' -e '^FAIL.' "$logs/$1/all")" $((SECONDS - start))
}

# another NAME: as nobody in particular, with a home of its own; what was fetched and compiled for this one is at hand.
another() {
	local home=$work/home cache over=$work/over
	cache=${NACRE_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/nacre}
	mkdir -p "$home/.cache/nacre" "$home/.cache/go-build" "$home/mod" "$over/new" "$over/work"
	mount --bind -o ro "$(go env GOMODCACHE)" "$home/mod"
	mount -t overlay overlay -o "lowerdir=$(go env GOCACHE),upperdir=$over/new,workdir=$over/work" "$home/.cache/go-build"
	[ ! -d "$cache" ] || mount --bind -o ro "$cache" "$home/.cache/nacre"
	chown 65534:65534 "$home" "$home/.cache" "$home/.cache/go-build" "$home"/.cache/go-build/*
	try "$1" env HOME="$home" GOMODCACHE="$home/mod" GOCACHE="$home/.cache/go-build" GOPATH="$home/go" TMPDIR=/tmp \
		setpriv --reuid=65534 --regid=65534 --clear-groups
	below
}

# below takes away what is mounted for another user; leave also removes what was written, and nothing that is mounted still.
below() {
	local folder
	for folder in mod .cache/nacre .cache/go-build; do umount -l "$work/home/$folder" 2>/dev/null || true; done
}

leave() { below; rm -rf --one-file-system "$work"; }

# network WHAT COMMAND... runs a command where there is only this machine, by IPv4 or by IPv6.
network() {
	# shellcheck disable=SC2016
	unshare -n sh -c 'ip link set lo up && case $1 in
		ipv4) echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6 ;;
		ipv6) ip address del 127.0.0.1/8 dev lo ;;
	esac && shift && exec "$@"' sh "$@"
}

copy() { # FOLDER: the project as it is, with the front end and the browser's programs if they are built
	mkdir -p "$1"
	git ls-files -z | xargs -0 ls -d 2>/dev/null | tar -c -T - | tar -x -C "$1"
	for built in web/dist bin/wasm; do
		[ ! -d $built ] || { mkdir -p "$1/$built" && cp -R $built/. "$1/$built"; }
	done
}

busy() { # NAME: beside eight programs that do nothing as fast as they can
	build
	local loops=() pid
	for _ in 1 2 3 4 5 6 7 8; do
		sh -c 'while :; do :; done' &
		loops+=($!)
		disown
	done
	try "$1" env
	for pid in "${loops[@]}"; do kill "$pid"; done
}

needs() { # NAME WHAT COMMAND...: where the command fails, says that it takes what
	"${@:3}" >/dev/null 2>&1 || { echo "$1: not tried, it takes $2" && return 1; }
}

circumstance() {
	case $1 in
	user) ! needs "$1" root setpriv --reuid=65534 --regid=65534 --clear-groups true || another "$1" ;;
	umask-*) try "$1" sh -c 'umask "$1"; shift; exec "$@"' sh "${1#umask-}" ;;
	locale-C) try "$1" env LC_ALL=C ;;
	locale-tr) try "$1" env LC_ALL=tr_TR.UTF-8 LANG=tr_TR.UTF-8 LANGUAGE=tr ;;
	locale-de) try "$1" env LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 LANGUAGE=de ;;
	time-kathmandu) try "$1" env TZ=Asia/Kathmandu ;;
	time-apia) try "$1" env TZ=Pacific/Apia ;;
	time-newfoundland) try "$1" env TZ=America/St_Johns ;;
	terminal-dumb) try "$1" env TERM=dumb ;;
	terminal-none) try "$1" env -u TERM ;;
	ipv4-only | ipv6-only) ! needs "$1" "root and ip" network "${1%-only}" true || try "$1" network "${1%-only}" ;;
	core-1) ! needs "$1" taskset taskset -c 0 true || try "$1" taskset -c 0 ;;
	gomaxprocs-*) try "$1" env GOMAXPROCS="${1#gomaxprocs-}" ;;
	busy-*) busy "$1" ;;
	blanks) copy "$work/größe ñ 文 x" && in_folder "$1" "$work/größe ñ 文 x" ;;
	link) ln -s "$PWD" "$work/link" && in_folder "$1" "$work/link" ;;
	chroot) in_chroot ;;
	*) echo "bench/circumstances.sh: there is no circumstance $1; expected ${all[*]} or chroot" >&2 && exit 2 ;;
	esac
}

# in_chroot runs make test in an empty Debian with what README asks for, and make, git and pip besides, which come with it.
in_chroot() {
	. bench/release/root.sh
	new_root
	trap 'drop_root; leave' EXIT
	within apt-get update -q >/dev/null
	within env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
		ca-certificates make gcc libc6-dev python3 python3-pip nodejs npm >"$logs/chroot.apt" 2>&1 || fail "apt-get failed: see $logs/chroot.apt"
	cp -a "$(go env GOROOT)" "$root/usr/local/go"
	git ls-files -z | xargs -0 ls -d 2>/dev/null | tar -c -T - | tar -x -C "$root/root/work"
	local start=$SECONDS ended=0
	within make test || ended=$?
	[ $ended = 0 ] || status=1
	echo "chroot: make test ended with status $ended after $((SECONDS - start)) s"
}

# What is mounted goes with the script, however it ends.
[ "$(id -u)" != 0 ] || [ -n "${CIRCUMSTANCES_INSIDE:-}" ] || CIRCUMSTANCES_INSIDE=1 exec unshare -m bench/circumstances.sh "$@"
[ "${1:-}" != list ] || { printf '%s\n' "${all[@]}" chroot && exit; }
mkdir -p "$logs"
rm -f "$logs"/*.failed
work=$(mktemp -d)
chmod 755 "$work"
trap leave EXIT
flags=$(go run ./cmd/setup flags)
[ -z "$flags" ] || eval "export $flags"
[ $# -gt 0 ] || set -- "${all[@]}"
for name; do circumstance "$name"; done
exit $status
