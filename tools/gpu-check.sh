#!/bin/sh
# The first session on a machine with an NVIDIA GPU, in the order in which mistakes are cheapest to find.
#
#   tools/gpu-check.sh build FOLDER        on any machine: put the programs and the scripts that are needed into FOLDER
#   tools/gpu-check.sh run FOLDER OUT      on the machine with the GPU, which needs no Go: check, measure, write to OUT
#
# Every step has a time limit and a file of its own in OUT; a step that fails does not stop the others, but a wrong
# result (steps 2 and 3) makes figures worthless. PYTHON is the interpreter with torch and jax (default python3).
set -u

step() { # NAME SECONDS COMMAND...
	name=$1 limit=$2
	shift 2
	echo "== $name: $*" | tee "$out/$name.txt"
	start=$(date +%s)
	timeout -k 5 "$limit" "$@" >>"$out/$name.txt" 2>&1
	status=$?
	echo "== exit status $status after $(($(date +%s) - start)) s" | tee -a "$out/$name.txt"
	tail -n 4 "$out/$name.txt" | head -n 3
}

case "${1:-}" in
build)
	dir=${2:?a folder}
	mkdir -p "$dir"
	flags=$(tools/mujoco.sh flags)
	[ -z "$flags" ] || eval "export $flags"
	${GO:-go} build -o "$dir/nacre" ./cmd/nacre && ${GO:-go} test -c -o "$dir/cuda.test" ./core/cuda && cp tools/gpu-check.sh "$dir/" && echo "built $dir"
	;;
run)
	dir=$(cd "${2:?the folder that was built}" && pwd) out=${3:?a folder for the output} python=$(command -v "${PYTHON:-python3}")
	mkdir -p "$out"
	out=$(cd "$out" && pwd)
	cd "$(mktemp -d)" || exit 1
	bench="$dir/nacre bench update --device cuda --python $python"
	step 0-machine 20 sh -c 'nvidia-smi; nproc; cat /proc/loadavg; '"$python"' -c "import torch, jax; print(torch.__version__, jax.__version__)"'
	step 1-doctor 60 "$dir/nacre" doctor
	step 2-programs 240 env NACRE_TEST_GPU=1 "$dir/cuda.test" -test.run 'TestGPU' -test.v
	step 3-check-fp32 120 $bench --check
	step 3-check-tf32 120 $bench --check --precision tf32
	step 3-check-own 120 $bench --check --products own --algo tcl-pearl
	step 4-time-fp32 60 $bench --updates 200
	step 4-time-tf32 60 $bench --updates 200 --precision tf32
	step 4-time-own 60 $bench --updates 200 --products own
	step 5-interrupt 40 timeout -s INT 15 "$dir/nacre" train --preset quick/point-goal --device cuda --out interrupted
	for precision in fp32 tf32; do
		for peer in torch torch-graph torch-compile jax; do
			step "6-$peer-$precision" 240 $bench --algo tcl-pearl --updates 80 --precision $precision --vs $peer --json
		done
	done
	step 7-train 280 "$dir/nacre" train --preset quick/point-goal --device cuda --precision tf32 --out one
	step 7-train-3-seeds 280 "$dir/nacre" train --preset quick/point-goal --device cuda --precision tf32 --seeds 3 --out three
	for f in one three-seed*; do [ ! -f "$f/timing.csv" ] || cp "$f/timing.csv" "$out/7-$(basename "$f")-timing.csv"; done
	grep -h "exit status" "$out"/*.txt | sort | uniq -c
	;;
*)
	sed -n '2,9s/^# \{0,1\}//p' "$0"
	exit 2
	;;
esac
