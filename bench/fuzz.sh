#!/usr/bin/env bash
# Fuzzes every fuzz target of the project for a time each (FUZZTIME, default 1m), one after the other, and prints how many
# executions each had. A process that takes more than 6 GiB of addresses fails. What breaks something is written under
# the package's testdata/fuzz, where every test run tries it from then on. Arguments are parts of names: others are left out.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
GO=${GO:-go} time=${FUZZTIME:-1m} status=0
ulimit -v $((6 << 20)) 2>/dev/null || echo "memory is not limited on this system"

while IFS=: read -r file name; do
	target="${file%/*} $name"
	[ $# = 0 ] || [[ " $* " == *" $name "* || " $* " == *" ${file%/*} "* ]] || continue
	# Go fails a target whose last input is still under way when the time is over: it gets a second try, which counts.
	for try in 1 2; do
		out=$($GO test "./${file%/*}" -run '^$' -fuzz "^$name\$" -fuzztime "$time" -fuzzminimizetime 2s 2>&1) && failed= || failed=yes
		[ -n "$failed" ] && [ $try = 1 ] && [[ "$out" == *"context deadline exceeded"* && "$out" != *"Failing input"* ]] || break
	done
	if [ -z "$failed" ]; then
		echo "$target: $(grep -o 'execs: [0-9]*' <<<"$out" | tail -1 | cut -d' ' -f2) executions"
	else
		status=1
		printf '%s: FAILED\n%s\n' "$target" "$out"
	fi
done < <(grep -rno --include='*_test.go' --exclude-dir=node_modules '^func Fuzz[A-Za-z0-9]*' . | sed -E 's|^\./||; s|:[0-9]+:func |:|' | sort)
exit $status
