# Read by bare.sh and bundle.sh inside of their root.
#
# expect CODE "PATTERN" COMMAND...: its exit code, and words that it must print. Otherwise `failed` is 1.
# show CODE COMMAND...: the same, and it prints what the command prints.
failed=0
show() {
  local code=0 begun=$SECONDS
  "${@:2}" 2>&1 || code=$?
  [ "$code" = "$1" ] || failed=1
  printf '%s  %4s s  %s: exit code %s\n' "$([ "$code" = "$1" ] && echo passed || echo FAILED)" $((SECONDS - begun)) "${*:2}" "$code"
}
expect() {
  local code=0 begun=$SECONDS
  "${@:3}" >/tmp/said 2>&1 || code=$?
  if [ "$code" = "$1" ] && { [ -z "$2" ] || grep -Eq -- "$2" /tmp/said; }; then
    printf 'passed  %4s s  %s\n' $((SECONDS - begun)) "${*:3}"
  else
    printf 'FAILED  %4s s  %s: exit code %s (expected %s); expected words: %s\n' $((SECONDS - begun)) "${*:3}" "$code" "$1" "$2"
    tail -n 40 /tmp/said
    failed=1
  fi
}
