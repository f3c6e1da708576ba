#!/bin/sh
# sh examples/first-steps.sh
set -eu
url=${ANIMAL_STORE_URL:-http://127.0.0.1:8080/v1}
: "${ANIMAL_STORE_KEY:?Set it to an API key.}"

# Prints an answer with its headers. Waits for as long as Retry-After says, up to 90 s. A creation may have succeeded
# despite a 503, so it is repeated only with an Idempotency-Key.
call() {
  passing='429 503'
  case "$*" in *Idempotency-Key*) ;; *--data*) passing=429 ;; esac
  for attempt in 1 2 3 4 5; do
    # the key goes through standard input, because other users can read a command line
    answer=$(printf 'Authorization: Bearer %s\n' "$ANIMAL_STORE_KEY" |
      curl --silent --include --max-time 30 --header @- "$@") || {
      echo "No answer from $url. Does the service run there?" >&2
      return 1
    }
    status=$(printf '%s\n' "$answer" | sed -n '1s/^HTTP[^ ]* \([0-9]*\).*/\1/p')
    wait=$(printf '%s\n' "$answer" | sed -n 's/^[Rr]etry-[Aa]fter: \([0-9]*\).*/\1/p')
    case $passing in *"$status"*) ;; *) break ;; esac
    if [ "$attempt" = 5 ] || [ "${wait:-1}" -gt 90 ]; then break; fi
    sleep "${wait:-1}"
  done
  printf '%s\n' "$answer"
}
# The value of a field of a flat JSON object.
field() {
  sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p"
}
# The status, code and message of a failure.
refusal() {
  message=$(echo "$1" | sed -n 's/.*"message":"\(.*\)","status".*/\1/p' | sed 's/\\"/"/g')
  echo "$(echo "$1" | field status) $(echo "$1" | field code): $message"
}

# With an Idempotency-Key, a creation can be sent again if its answer was lost.
key=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
create() {
  call "$url/pets" --header "Idempotency-Key: $key" --header 'Content-Type: application/json' \
    --data '{"name":"Rex","categoryId":9007199254740993,"status":"available"}'
}
added=$(create)
case $added in
  *'"id":'*) ;;
  *) refusal "$added" >&2 && exit 1 ;;
esac
echo "Added animal $(echo "$added" | field id) of category $(echo "$added" | field categoryId)."

again=$(create)
echo "$again" | grep -qi '^Idempotency-Replayed: true' && how=replayed || how='added again'
echo "Sent again: animal $(echo "$again" | field id), $how."

first="$url/pets?status=available&limit=2"
pages=0 animals=0 next=$first
while [ -n "$next" ]; do
  page=$(call "$next")
  case $page in *'"code":'*) refusal "$page" >&2 && exit 1 ;; esac
  pages=$((pages + 1))
  animals=$((animals + $(echo "$page" | grep -o '"id":' | wc -l)))
  cursor=$(echo "$page" | tr -d '\r' | sed -n 's/^[Xx]-[Nn]ext-[Cc]ursor: //p')
  next=${cursor:+$first&cursor=$cursor}
done
echo "Found $animals available animals on $pages pages."

refused=$(call "$url/pets" --header 'Content-Type: application/json' --data '{"name":"","categoryId":7}')
echo "Refused: $(refusal "$refused")"
