#!/bin/sh
# Slurm's Prolog: look at the node before a job starts, within 10 seconds. As Epilog it looks after each job.
#
#   slurm.conf:  Prolog=/etc/slurm/accel-prolog.sh    PrologFlags=Alloc
#
# Slurm drains a node whose prolog does not end with 0 ("Prolog error" in sinfo -R), and queues the job again. It gives a
# prolog no PATH. So this ends with
#   0  nothing that is an error: well, a warning, not all could be looked at, or accel itself failed or was too slow
#   1  accel found an error, by its own severity
# Set ACCEL_PROLOG_DRAINS=no to let it only report. What it found is in the journal, under accel-prolog.
budget=10
export PATH="${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}"
line=$(timeout -k 1 "$budget" "${ACCEL:-accel}" fleet probe --node "${SLURMD_NODENAME:-$(hostname)}" --timeout 8 2>/dev/null)
code=$?
error=$(printf '%s\n' "$line" | sed -n 's/.*"code": "\([A-Z]*[0-9]*\)", "name": "\([a-z0-9-]*\)", "severity": "error".*/\1 \2/p')
case $line in
  *'"severity": "error"'*) found=1 ;;
  *) found=0 ;;
esac
case $code in
  0) said="nothing found" ;;
  1) said="found ${error:-something that is no error}" ;;
  124 | 137) said="did not end within $budget s" ;;
  *) said="not all was looked at, or accel failed (exit code $code)" ;;
esac
command -v logger >/dev/null 2>&1 && logger -t accel-prolog "job ${SLURM_JOB_ID:-?}: $said" || :
[ -n "$line" ] && [ -d "${ACCEL_PROLOG_SAVE:-/nonexistent}" ] && printf '%s\n' "$line" \
  > "$ACCEL_PROLOG_SAVE/${SLURMD_NODENAME:-$(hostname)}.json" || :
[ "${ACCEL_PROLOG_DRAINS:-yes}" = no ] && exit 0
exit "$found"
