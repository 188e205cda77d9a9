#!/bin/sh
# The first session on a machine with an NVIDIA GPU, in the order in which mistakes are cheapest to find.
#
#   bench/gpu-check.sh build FOLDER             on any machine: put all that is needed into FOLDER
#   FOLDER/gpu-check.sh run OUT [PART...]       on the machine with the GPU, which needs no Go: check, measure, write to OUT
#   FOLDER/gpu-check.sh dry OUT [PART...]       the same, short, on a stand-in for a GPU: needs a C compiler and no GPU
#
# Parts: check, time, peers, peers-tf32, train, each at most ten minutes and meant to take 25 together; all of them if none is named.
# Every step has a time limit and a file of its own in OUT, and OUT.tar has them all after every part. A step that
# fails does not stop the others, but a wrong result in check makes figures worthless. PYTHON is the interpreter with
# torch and jax (default python3).
set -u

step() { # NAME SECONDS COMMAND...
	name=$1 limit=$(($2 * patience))
	shift 2
	echo "== $name: $*" | tee "$out/$name.txt"
	start=$(date +%s)
	timeout -k 5 "$limit" "$@" >>"$out/$name.txt" 2>&1
	status=$?
	echo "== exit status $status after $(($(date +%s) - start)) s" | tee -a "$out/$name.txt"
	tail -n 4 "$out/$name.txt" | head -n 3
}

build() {
	mkdir -p "$1/bin"
	dir=$(cd "$1" && pwd)
	flags=$(${GO:-go} run ./cmd/setup flags)
	[ -z "$flags" ] || eval "export $flags"
	${GO:-go} build -ldflags='-s -w' -o "$dir/bin/nacre" ./cmd/nacre && ${GO:-go} test -c -ldflags='-s -w' -o "$dir/bin/cuda.test" ./core/cuda || exit 1
	# The programs look for MuJoCo and Meta-World's scenes beside themselves too.
	for fetched in $(${GO:-go} run ./cmd/setup folders); do
		[ ! -d "$fetched" ] || cp -R "$fetched" "$dir/bin/"
	done
	cp bench/gpu-check.sh "$dir/" && mkdir -p "$dir/fake" && cp core/cuda/fakecuda/testdata/fake.c "$dir/fake/"
	echo "built $dir: $(du -sh "$dir" | cut -f1)"
}

# stand_in makes the stand-in for a GPU, shortens everything and lets only what it can do be done.
stand_in() {
	cc -std=gnu11 -O3 -march=native -shared -fPIC -w -o "$home/fake/fake.so" "$home/fake/fake.c" -lm -ldl -lpthread || exit 1
	for library in libcuda.so.1 libnvrtc.so.13 libcublasLt.so.13; do ln -sf fake.so "$home/fake/$library"; done
	mkdir -p "$home/fake/tmp"
	export NACRE_CUDA_LIBS="$home/fake" FAKE_OPTIMISE=-O2 TMPDIR="$home/fake/tmp" XDG_CACHE_HOME="$home/fake/tmp/cache"
	updates=1 patience=10 algos=pearl own=pearl sizes=oyster small="--set pearl.iterations=2 --set pearl.updates_per_iteration=20 --set pearl.hidden=32 --set pearl.encoder_hidden=32 --set pearl.batch=32"
	programs='TestGPU/(oracle|mql)'
}

part_check() {
	step 0-machine 20 sh -c 'nvidia-smi; nproc; cat /proc/loadavg; '"$python"' -c "import torch, jax; print(torch.__version__, jax.__version__)"'
	step 1-doctor 60 "$home/bin/nacre" doctor
	step 2-programs 240 env NACRE_TEST_GPU=1 "$home/bin/cuda.test" -test.run "$programs" -test.v
	step 3-check-fp32 80 $bench --check --algo $algos --size $sizes
	step 3-check-tf32 80 $bench --check --algo $algos --precision tf32 --size $sizes
	step 3-check-own 60 $bench --check --products own --algo $own --size $sizes
	step 3-interrupt 40 timeout -s INT 10 "$home/bin/nacre" train --preset quick/point-goal --device cuda $small --out interrupted
	step 3-resume 20 timeout -s INT 10 "$home/bin/nacre" resume interrupted
}

part_time() {
	for precision in fp32 tf32; do
		step 4-time-$precision 40 $bench --updates $updates --precision $precision --algo $algos --size $sizes --json
		for algo in oracle mql rl2; do
			step 4-time-$algo-$precision 40 $bench --updates $updates --precision $precision --algo $algo --size $sizes --json
		done
	done
	step 4-time-maml 60 $bench --updates 2 --algo maml --size oyster --json
	step 4-time-own 40 $bench --updates $updates --products own --algo $own --size $sizes --json
}

part_peers() { peers fp32; }
part_peers_tf32() { peers tf32; }
peers() {
	for peer in torch torch-graph jax torch-compile; do
		step "5-$peer-$1" 140 $bench --algo both --size $sizes --updates $updates --precision "$1" --vs $peer --json
	done
}

part_train() {
	step 6-train 60 "$home/bin/nacre" train --preset quick/point-goal --device cuda --precision tf32 $small --out one
	step 6-train-3-seeds 60 "$home/bin/nacre" train --preset quick/point-goal --device cuda --precision tf32 --seeds 3 $small --out three
	[ -n "$small" ] || step 6-train-ml1 460 timeout -s INT 440 "$home/bin/nacre" train --preset paper/ml1 --family "${FAMILY:-ml1/reach}" --algorithm tcl-pearl --device cuda --precision tf32 --out ml1
	for f in one three-seed* ml1; do [ ! -f "$f/timing.csv" ] || cp "$f/timing.csv" "$out/6-$(basename "$f")-timing.csv"; done
}

case "${1:-}" in
build)
	build "${2:?a folder}"
	;;
run | dry)
	home=$(cd "$(dirname "$0")" && pwd) python=$(command -v "${PYTHON:-python3}")
	out=${2:?a folder for the output} updates=200 patience=1 small='' sizes=both algos=both own=tcl-pearl programs=TestGPU mode=$1
	mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 1
	shift 2
	[ $mode = run ] || stand_in
	bench="$home/bin/nacre bench update --device cuda --python $python"
	cd "$(mktemp -d)" || exit 1
	for part in ${@:-check time peers peers-tf32 train}; do
		"part_$(echo "$part" | tr - _)"
		tar -cf "$out.tar" -C "$(dirname "$out")" "$(basename "$out")"
	done
	grep -h "exit status" "$out"/*.txt | sort | uniq -c
	;;
*)
	sed -n '2,12s/^# \{0,1\}//p' "$0"
	exit 2
	;;
esac
