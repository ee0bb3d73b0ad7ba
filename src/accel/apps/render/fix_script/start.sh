set -u

# The step to begin at, if one is named.
at="${1:-0}"
case "$at" in
  "" | *[!0-9]*) printf 'usage: %s [STEP]\n' "$0" >&2; exit 2 ;;
esac
stop() {
  printf '%s\n' "$@" >&2
  exit 1
}

# Show a step and go on only after "y". Without an answer the script ends.
ask() {
  printf '%s\n' "$@" >&2
  printf 'Run it? [y/N] ' >&2
  answer=""
  read -r answer || true
  case "$answer" in y | Y | yes) ;; *) stop "" "Stopped: nothing of this step was run." ;; esac
}
