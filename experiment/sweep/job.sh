#!/bin/bash
# One task for each run of the sweep {{.Name}}. Written by nacre sweep; submit with: nacre sweep PLAN --on slurm
#SBATCH --job-name={{.Name}}
#SBATCH --array=1-{{.Tasks}}{{if .S.AtOnce}}%{{.S.AtOnce}}{{end}}
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={{.CPUs}}
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output="{{.Logs}}/slurm-%A_%a.log"
{{- with .S.Partition}}
#SBATCH --partition={{.}}{{end}}
{{- with .S.Account}}
#SBATCH --account={{.}}{{end}}
{{- with .S.Memory}}
#SBATCH --mem={{.}}{{end}}
{{- with .S.Time}}
#SBATCH --time={{.}}
#SBATCH --signal=B:USR1@120{{end}}
{{- range .S.Options}}
#SBATCH {{.}}{{end}}
{{range .S.Setup}}
{{.}}{{end}}

run=$(sed -n "${SLURM_ARRAY_TASK_ID}p" {{quote .List}})
log={{quote .Logs}}/$run.log

# Slurm sends USR1 to this script before the time is up, and TERM to end or preempt the job. Both are passed on as TERM,
# on which nacre saves a checkpoint.
more=
pass() { kill -TERM "$child" 2>/dev/null; }
trap 'more=yes; pass' USR1
trap pass TERM
{{range .Worker}}{{quote .}} {{end}}{{quote .Dir}} "$run" >>"$log" 2>&1 &
child=$!
wait "$child"
status=$?
while kill -0 "$child" 2>/dev/null; do # a signal ended the wait, not the run
	wait "$child"
	status=$?
done

# A run whose time was up goes on in another job, and one whose process was killed is tried again, so often. Jobs that
# are preempted, or whose node fails, Slurm queues again by itself.
if [ "$status" -ne 0 ] && { [ -n "$more" ] || { [ "$status" -eq 137 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt {{.Restarts}} ]; }; }; then
	scontrol requeue "$SLURM_JOB_ID" && exit 0
fi
exit "$status"
