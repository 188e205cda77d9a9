#!/bin/sh
# What is left of visits that end at once: dry runs of gpu-check.sh, package and results in a folder of 64 MB, each killed
# with everything it has started, and gone on with by the next.
#
#   bench/gpu-check-killed.sh FOLDER SECONDS...     FOLDER is what bench/gpu-check.sh build has made
#
# Linux only; needs no rights, if users may make namespaces. It ends with an error where what is left cannot be read.
set -eu
[ $# -gt 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" && exit 2; }
[ -n "${KILLED_INSIDE:-}" ] || KILLED_INSIDE=1 exec unshare -Urm "$0" "$@"

room=$(mktemp -d) && mount -t tmpfs -o size=64m none "$room"
export TMPDIR="$room.work" && mkdir -p "$TMPDIR"
trap 'umount "$room"; rm -rf "$room" "$TMPDIR"' EXIT
cp "$1"/* "$room" && shift
for seconds; do
	timeout -s KILL "$seconds" unshare -p --fork --kill-child sh "$room/gpu-check.sh" dry "$room/out" >/dev/null 2>&1 || true
	if [ -e "$room/out.tar.gz" ]; then
		tar -xzOf "$room/out.tar.gz" >"$TMPDIR/all" || { echo "killed after $seconds s: out.tar.gz is torn" >&2 && exit 1; }
		left="out.tar.gz has $(tar -tzf "$room/out.tar.gz" | grep -c txt) steps, $(grep -c '^== exit status' "$TMPDIR/all") of them done, $(wc -c <"$room/out.tar.gz") bytes"
	else
		left="no step was done"
	fi
	echo "killed after $seconds s: $left; $(cat "$room"/out/*.txt | grep -c '^== exit status') steps done in all, $(df -m --output=used "$room" | tail -1) MB used"
done
