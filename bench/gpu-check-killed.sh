#!/bin/sh
# What is left of visits that end at once: dry runs of gpu-check.sh, package and results in a folder of 64 MB, each killed
# with everything it has started, and gone on with by the next.
#
#   bench/gpu-check-killed.sh FOLDER SECONDS...     FOLDER is what bench/gpu-check.sh build has made;
#                                                   for seconds by chance $(shuf -i 3-40 -n 8)
#
# Linux only; needs no rights, if users may make namespaces. It ends with an error where what is left cannot be read, lacks
# more than the step that was under way, where no run was long enough for a step, or where all ended by themselves.
set -eu
[ $# -gt 1 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" && exit 2; }
[ -n "${KILLED_INSIDE:-}" ] || KILLED_INSIDE=1 exec unshare -Urm "$0" "$@"

room=$(mktemp -d) && mount -t tmpfs -o size=64m none "$room"
export TMPDIR="$room.work" && mkdir -p "$TMPDIR"
trap 'umount "$room"; rm -rf "$room" "$TMPDIR"' EXIT
cp "$1"/* "$room"
shift
# count says how many steps the files it is given saw end.
count() { cat "$@" 2>/dev/null | grep -c '^== exit status' || true; }
ended=0 kills=0
for seconds; do
	status=0
	timeout -s KILL "$seconds" unshare -p --fork --kill-child sh "$room/gpu-check.sh" dry "$room/out" >/dev/null 2>&1 || status=$?
	if [ $status = 137 ]; then what="killed after $seconds s" kills=$((kills + 1)); else what="ended by itself within $seconds s"; fi
	kept=0 left="no step was done"
	if [ -e "$room/out.tar.gz" ]; then
		tar -xzOf "$room/out.tar.gz" >"$TMPDIR/all" || { echo "$what: out.tar.gz is torn" >&2 && exit 1; }
		kept=$(count "$TMPDIR/all")
		left="out.tar.gz has $(tar -tzf "$room/out.tar.gz" | grep -c txt) steps, $kept of them done, $(wc -c <"$room/out.tar.gz") bytes"
	fi
	ended=$(count "$room"/out/*.txt)
	echo "$what: $left; $ended steps done in all, $(df -m --output=used "$room" | tail -1) MB used"
	[ $((ended - kept)) -le 1 ] || { echo "$what: out.tar.gz lacks $((ended - kept)) steps that were done" >&2 && exit 1; }
done
[ $kills -gt 0 ] || { echo "none was killed: give it fewer seconds" >&2 && exit 1; }
[ "$ended" -gt 0 ] || { echo "no step was done: give it more seconds" >&2 && exit 1; }
