#!/usr/bin/env bash
# Runs a sweep of twelve short runs on a real Slurm of one node, kills a run's process, the daemon that watches over
# another one (slurmstepd) and the node's daemon (slurmd) midway, and compares what comes of it, byte by byte, with an
# undisturbed local sweep. For a Debian machine, as root: what is missing of Slurm is installed with apt. Daemons, state
# and configuration are private to this script and gone when it ends; a Slurm that the machine has is left alone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
nacre=$PWD/bin/nacre
plan=$PWD/bench/slurm/plan.toml
[ "$(id -u)" = 0 ] || { echo "bench/slurm/run.sh: run it as root: slurmd starts jobs as their users" >&2; exit 1; }
if ! command -v slurmctld slurmd sbatch munged >/dev/null; then
	DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends slurmctld slurmd slurm-client munge >/dev/null
fi

dir=$(mktemp -d /tmp/nacre-slurm.XXXXXX)
export SLURM_CONF=$dir/slurm.conf
node=$(hostname -s)
pids=()
finish() {
	status=$?
	[ $status -eq 0 ] || tail -n 20 "$dir"/*.log "$dir"/slurm/logs/*.log 2>/dev/null || true
	scancel --me 2>/dev/null || true
	for p in "${pids[@]}" "$(cat "$dir/slurmd.pid" 2>/dev/null || true)"; do [ -z "$p" ] || kill "$p" 2>/dev/null || true; done
	wait 2>/dev/null || true
	if [ -n "${KEEP:-}" ]; then echo "kept: $dir"; else rm -rf "$dir"; fi
	exit $status
}
trap finish EXIT

# Authentication, with a key of its own.
mkdir -m 755 "$dir/munge" "$dir/ctld" "$dir/d"
chmod 755 "$dir"
head -c 1024 /dev/urandom >"$dir/munge/key"
chmod 400 "$dir/munge/key"
munged --foreground --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/munge/pid" \
	--log-file="$dir/munge.log" --seed-file="$dir/munge/seed" 2>/dev/null &
pids+=($!)

hardware=$(slurmd -C | grep -o 'CPUs=.*RealMemory=[0-9]*')
cat >"$SLURM_CONF" <<EOF
ClusterName=nacre
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=26817
SlurmdPort=26818
SlurmUser=root
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge
StateSaveLocation=$dir/ctld
SlurmdSpoolDir=$dir/d
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmdTimeout=60
KillWait=10
NodeName=$node NodeAddr=127.0.0.1 $hardware
PartitionName=all Nodes=ALL Default=YES
EOF
until [ -S "$dir/munge/socket" ]; do sleep 0.1; done
slurmctld -D 2>/dev/null &
pids+=($!)
slurmd
until sinfo --noheader --format=%T 2>/dev/null | grep -q idle; do sleep 0.5; done
echo "Slurm: $(slurmd -V), $(sinfo --noheader --format='%D node, %c CPUs')"

# sweep_in writes the plan with the folder $1.
sweep_in() { { echo "out = \"$dir/$1\""; cat "$plan"; } >"$dir/$1.toml"; }
sweep_in local
sweep_in slurm

# first waits until a run that $1 does not match is in its first process and has a checkpoint, and prints its name and
# that process.
first() {
	for _ in $(seq 1200); do
		for state in "$dir"/slurm/state/*.json; do
			name=$(basename "$state" .json)
			if [ -f "$dir/slurm/runs/$name/metrics.csv" ] && [ "$(wc -l <"$dir/slurm/runs/$name/metrics.csv")" -gt 2 ] &&
				[ ! -f "$dir/slurm/runs/$name/evaluation.json" ] && ! [[ $name =~ $1 ]]; then
				echo "$name $(sed -n 's/.*"pid": \([0-9]*\).*/\1/p' "$state")"
				return
			fi
		done
		sleep 0.1
	done
	echo "no run got under way" >&2
	return 1
}
parent() { ps -o ppid= -p "$1" | tr -d ' '; }

"$nacre" sweep "$dir/slurm.toml" --on slurm
read -r killed pid < <(first '^$')
kill -9 "$pid"
echo "killed -9: the process of $killed"

read -r preempted pid < <(first "^$killed$")
task=$(squeue --noheader --array --me --states=running --format='%A %K' |
	while read -r id index; do [ "$(sed -n "${index}p" "$dir/slurm/slurm/runs-1.txt")" != "$preempted" ] || echo "$id"; done)
scontrol requeue "$task"
echo "requeued as preemption does: $preempted"

read -r crashed pid < <(first "^($killed|$preempted)$")
script=$(parent "$pid")
kill -9 "$(cat "$dir/slurmd.pid")" "$(parent "$script")" "$script" "$pid"
echo "killed -9: slurmd, and slurmstepd, job script and process of $crashed"
sleep 2
slurmd

# Slurm waits two minutes before it starts a job again.
for _ in $(seq 180); do
	squeue --noheader --me --format=%T >"$dir/queue"
	[ -s "$dir/queue" ] || break
	sleep 5
done
"$nacre" sweep status "$dir/slurm.toml"
"$nacre" sweep collect "$dir/slurm.toml" >/dev/null
for name in "$killed" "$preempted" "$crashed"; do
	n=$(sed -n 's/.*"number": \([0-9]*\).*/\1/p' "$dir/slurm/state/$name.json")
	[ "$n" -ge 2 ] || { echo "$name was never queued again" >&2; exit 1; }
	echo "$name: $n processes"
done

echo "the same sweep on this machine, undisturbed"
"$nacre" --quiet sweep "$dir/local.toml"
compared=0
for run in "$dir"/local/runs/*; do
	for file in metrics.csv weights.safetensors evaluation.json tasks.json; do
		cmp "$run/$file" "$dir/slurm/runs/$(basename "$run")/$file"
		compared=$((compared + 1))
	done
done
[ $compared -eq 48 ] || { echo "compared $compared files, want 48" >&2; exit 1; }
echo "identical, byte by byte: $compared files of 12 runs"
