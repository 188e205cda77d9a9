#!/bin/sh
# A visit to a machine with an NVIDIA GPU, which may end at any second: what is most worth knowing comes first.
#
#   bench/gpu-check.sh build FOLDER     on any machine: put all that is needed into FOLDER, less than 40 MB
#   FOLDER/gpu-check.sh run OUT         on the machine with the GPU, which needs no Go: check, measure, write to OUT
#   FOLDER/gpu-check.sh dry OUT         the same, short, on a stand-in for a GPU: needs a C compiler and no GPU
#
# A run takes nine minutes at most and says at its end whether there is more; run again, it goes on where it was. Every step
# has a time limit and a file of its own in OUT; OUT.tar.gz, less than 16 MB, has them all after every step. In the first
# minute it is found out whether this program computes on this GPU; if not, nothing else is done. Programs are unpacked,
# and compiled kernels kept, in a folder of their own below TMPDIR. PYTHON is the interpreter with torch and jax (default
# python3); ncu and compute-sanitizer are used where they are installed.
set -u

largest=200000 # bytes kept of a step's output

# step NAME SECONDS COMMAND... does a step that has not been done, unless too little of the nine minutes is left.
step() {
	name=$1 limit=$(($2 * patience)) file=$out/$1.txt
	shift 2
	if grep -qs '^== exit status' "$file"; then
		grep -qs '^== exit status 0 ' "$file"
		return
	fi
	left=$((budget - $(date +%s) + began))
	if [ "$limit" -gt "$left" ] && [ $steps -gt 0 ]; then
		echo "== time is up before $name: run the same command again to go on"
		exit 0
	fi
	[ "$limit" -le "$left" ] || limit=$left
	steps=$((steps + 1))
	echo "== $name: $*" | tee "$file"
	start=$(date +%s)
	timeout -k 5 "$limit" "$@" >"$work/output" 2>&1
	status=$?
	if [ "$(wc -c <"$work/output")" -gt $largest ]; then
		head -c $((largest / 2)) "$work/output" && printf '\n[...]\n' && tail -c $((largest / 2)) "$work/output"
	else
		cat "$work/output"
	fi >>"$file"
	tail -n 3 "$work/output"
	echo "== exit status $status after $(($(date +%s) - start)) s" | tee -a "$file"
	keep
	return $status
}

# keep writes what there is into one file, or leaves the one that is there.
keep() {
	if tar -czf "$out.new" -C "$(dirname "$out")" "$(basename "$out")"; then mv "$out.new" "$out.tar.gz"; else rm -f "$out.new"; fi
}

build() {
	mkdir -p "$1"
	dir=$(cd "$1" && pwd) && parts=$(mktemp -d) && mkdir -p "$parts/bin" "$parts/fake"
	flags=$(${GO:-go} run ./cmd/setup flags)
	[ -z "$flags" ] || eval "export $flags"
	${GO:-go} build -trimpath -ldflags='-s -w' -o "$parts/bin/nacre" ./cmd/nacre &&
		${GO:-go} test -c -trimpath -ldflags='-s -w' -o "$parts/bin/cuda.test" ./core/cuda || exit 1
	for fetched in $(${GO:-go} run ./cmd/setup folders); do # MuJoCo beside the program; Meta-World's scenes are too large
		case $fetched in */mujoco-*) cp -R "$fetched" "$parts/bin/" ;; esac
	done
	cp core/cuda/fakecuda/testdata/fake.c "$parts/fake/"
	tar -cf - -C "$parts" bin fake | xz "${XZ:--6}" >"$dir/programs.tar.xz" && rm -rf "$parts" && cp bench/gpu-check.sh "$dir/"
	size=$(cat "$dir/programs.tar.xz" "$dir/gpu-check.sh" | wc -c)
	echo "built $dir: $size bytes"
	[ "$size" -lt 40000000 ] || { echo "that is more than 40 MB" >&2 && exit 1; }
}

# unpack puts the programs where they can be run; what an earlier run put there is taken.
unpack() {
	work=${TMPDIR:-/tmp}/nacre-gpu-check-$(id -u)-$(cksum <"$home/programs.tar.xz" | cut -d' ' -f1)
	mkdir -p "$work" && chmod 700 "$work" || exit 1
	[ -e "$work/unpacked" ] || { xz -dc "$home/programs.tar.xz" | tar -xf - -C "$work" && touch "$work/unpacked"; } || exit 1
	export XDG_CACHE_HOME="$work/cache"
}

# stand_in makes the stand-in for a GPU, shortens everything and lets only what it can do be done.
stand_in() {
	cc -std=gnu11 -O3 -march=native -shared -fPIC -w -o "$work/fake/fake.so" "$work/fake/fake.c" -lm -ldl -lpthread || exit 1
	for library in libcuda.so.1 libnvrtc.so.13 libcublasLt.so.13; do ln -sf fake.so "$work/fake/$library"; done
	mkdir -p "$work/fake/tmp"
	export NACRE_CUDA_LIBS="$work/fake" FAKE_OPTIMISE=-O2 TMPDIR="$work/fake/tmp"
	updates=1 burst=2 patience=10 algos=pearl sizes=oyster small="--set pearl.iterations=2 --set pearl.updates_per_iteration=20 --set pearl.hidden=32 --set pearl.encoder_hidden=32 --set pearl.batch=32"
	programs='oracle mql' enough=2
}

# with TOOL COMMAND... runs a command if there is the tool that is its first word.
with() {
	if command -v "$1" >/dev/null; then echo "$@"; else echo "echo no $1 here"; fi
}

# pieces writes a script that runs the tests of programs at once, each part with an output of its own: one after the other
# they take longer than a visit. Contract and drawing/any need more than a minute each, so everything else is done first.
# Algorithms that no part names are one part more, so that a new one is not forgotten.
pieces() {
	echo "cd '$work' && export NACRE_TEST_GPU=1; failed=0; pids="
	part() { echo "bin/cuda.test -test.v -test.timeout 230s $2 >'programs-$(echo "$1" | tr -cd 'a-z0-9-')' 2>&1 & pids=\"\$pids \$!\""; }
	for of in $programs; do part "$of" "-test.run 'TestGPU/^$of'"; done
	named=$(printf '%s\n' $programs | sed 's/[$/].*//' | sort -u | paste -sd'|' -)
	[ -n "$small" ] || part rest "-test.run '^TestGPU\$' -test.skip 'TestGPU/^($named)\$'"
	echo 'for p in $pids; do wait $p || failed=1; done; tail -n 4 programs-*; cat programs-*; exit $failed'
}

# resumed writes a script that trains three times, once interrupted and resumed: all are to end with the same figures.
resumed() {
	more=${small:---set pearl.iterations=16}
	cat <<END
cd '$work' && rm -rf whole again interrupted
$train $more --out whole && $train $more --out again || exit
$train $more --out interrupted & pid=\$!
while kill -0 \$pid && [ "\$(cat interrupted/timing.csv 2>/dev/null | wc -l)" -lt $enough ]; do sleep 0.1; done 2>/dev/null
kill -INT \$pid; wait \$pid
echo "interrupted: exit status \$?, \$(cat interrupted/timing.csv | wc -l) lines of timing.csv"
bin/nacre resume interrupted
cmp whole/metrics.csv again/metrics.csv && cmp whole/metrics.csv interrupted/metrics.csv && echo "all three are the same"
END
}

steps() {
	bench="$work/bin/nacre bench update --device cuda"
	train="$work/bin/nacre train --preset quick/point-goal --device cuda"
	tiny="--set pearl.iterations=1 --set pearl.updates_per_iteration=2 --set pearl.hidden=32 --set pearl.encoder_hidden=32 --set pearl.batch=32"

	# The first minute.
	step 0-machine 8 sh -c 'nvidia-smi -q -d CLOCK,POWER,ECC || true; nvidia-smi || true; nproc; cat /proc/loadavg'
	step 1-doctor 12 "$work/bin/nacre" doctor
	if ! step 2-first-check 40 $bench --check --algo $(echo $algos | sed s/both/tcl-pearl/) --size oyster; then
		echo "== this program does not compute an update on this GPU: 2-first-check.txt says why, and nothing else is measured"
		exit 3
	fi

	for precision in tf32 fp32; do
		step 3-time-$precision 60 $bench --updates $burst --precision $precision --algo $algos --size $sizes --json
	done
	step 3-time-8-seeds 60 $train --precision tf32 --seeds 8 $small --out "$work/eight"
	step 4-jax-tf32 130 $bench --algo $algos --size $sizes --updates $updates --precision tf32 --vs jax --python "$python" --json
	step 5-check-fp32 80 $bench --check --algo $algos --size $sizes
	step 5-check-tf32 80 $bench --check --algo $algos --precision tf32 --size $sizes
	step 5-check-own 60 $bench --check --products own --algo pearl --size oyster
	step 6-programs 240 sh -c "$(pieces)"
	step 6-resume 60 sh -c "$(resumed)"
	for peer in torch-graph torch-compile torch; do
		step 7-$peer-tf32 130 $bench --algo $algos --size $sizes --updates $updates --precision tf32 --vs $peer --python "$python" --json
	done
	for tool in memcheck racecheck synccheck initcheck; do
		step 8-$tool 120 $(with compute-sanitizer --tool $tool --error-exitcode 9 $train $tiny --out "$work/$tool")
	done
	# The ten longest kernels: their times and how much of the card they use.
	metrics=gpu__time_duration.sum,sm__throughput.avg.pct_of_peak_sustained_elapsed,dram__throughput.avg.pct_of_peak_sustained_elapsed,lts__t_sector_hit_rate.pct,sm__warps_active.avg.pct_of_peak_sustained_active,launch__registers_per_thread
	step 8-counters 200 sh -c "$(with ncu --clock-control none --graph-profiling node --launch-count 400 --csv --print-units base --metrics $metrics $bench --updates 2 --precision tf32 --algo $algos --size oyster) >'$work/counters.csv'; grep -v gpu__time_duration '$work/counters.csv' | tail -n 5; grep gpu__time_duration '$work/counters.csv' | awk -F'\",\"' '{t[\$5] = \$NF > t[\$5] ? \$NF : t[\$5]} END {for (k in t) print t[k], k}' | tr -d '\"' | sort -rn | head -n 10 | tee '$work/longest'; cut -d' ' -f2- '$work/longest' | cut -d'(' -f1 | grep -Ff - '$work/counters.csv' | tail -n 600"
	# The same by lines of the kernels' text, which stays in OUT.
	step 8-lines 120 env NACRE_CUDA_SOURCE="$out/source" sh -c "$bench --updates 1 --precision tf32 --algo $algos --size oyster && $(with ncu --clock-control none --graph-profiling node --launch-count 60 --section SourceCounters --kernel-name "'regex:^(region|step|draw|walk|normals)'" --page source --print-source cuda --csv $bench --updates 1 --precision tf32 --algo $algos --size oyster)"
	for algo in oracle mql rl2; do
		step 9-time-$algo 60 $bench --updates $updates --precision tf32 --algo $algo --size $sizes --json
	done
	step 9-time-maml 60 $bench --updates 2 --algo maml --size oyster --json
	for peer in jax torch-graph; do
		step 9-$peer-fp32 130 $bench --algo $algos --size $sizes --updates $updates --vs $peer --python "$python" --json
	done
	[ -n "$small" ] || step 9-train 400 timeout -s INT 390 "$work/bin/nacre" train --preset oyster/cheetah-vel --algorithm tcl-pearl --device cuda --precision tf32 --out "$work/cheetah"
	[ -n "$small" ] || step 9-train-timing 10 cat "$work/cheetah/timing.csv"
}

case "${1:-}" in
build)
	build "${2:?a folder}"
	;;
run | dry)
	began=$(date +%s) steps=0 budget=${BUDGET:-540}
	home=$(cd "$(dirname "$0")" && pwd) python=$(command -v "${PYTHON:-python3}")
	out=${2:?a folder for the output} updates=200 burst=400 patience=1 small='' sizes=both algos=both enough=6
	programs='tcl-pearl$/pearl.update tcl-pearl$/(diagnose|act|infer) oracle maml$/(adapt|gradient|objective) maml$/hessian rl2 mql$/update$ mql$/(update#|act) pearl$ pearl-windows
		pearl-classifier pearl-focal pearl-infonce pearl-reconstruction pearl-unicorn focal
		varibad$/elbo varibad$/(infer|prior|look|ppo|act) trajectory drawing/normals drawing/(rows|windows|pairs|histories|many) drawing/any contract'
	mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 1
	unpack
	[ "$1" = run ] || stand_in
	cd "$work" || exit 1
	steps
	echo "== all steps are done:"
	grep -h "exit status" "$out"/*.txt | sort | uniq -c
	;;
*)
	sed -n '2,13s/^# \{0,1\}//p' "$0"
	exit 2
	;;
esac
