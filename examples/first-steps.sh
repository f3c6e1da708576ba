#!/bin/sh
# sh examples/first-steps.sh
set -eu
url=${ANIMAL_STORE_URL:-http://127.0.0.1:8080/v1}
: "${ANIMAL_STORE_KEY:?Set it to an API key.}"

# The key comes on standard input, since others can read a command line. --retry waits for as long as Retry-After says.
call() {
  printf 'Authorization: Bearer %s\n' "$ANIMAL_STORE_KEY" |
    curl --silent --show-error --retry 5 --max-time 30 --header @- --header 'Content-Type: application/json' "$@"
}
# The value of a field of a flat JSON object.
field() {
  sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p"
}
# What a failure says: its status, its code and its sentence.
refusal() {
  message=$(echo "$1" | sed -n 's/.*"message":"\(.*\)","status".*/\1/p' | sed 's/\\"/"/g')
  echo "$(echo "$1" | field status) $(echo "$1" | field code): $message"
}

# A creation with a key of its own can be sent again when its answer was lost.
key=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
create() {
  call "$url/pets" --include --header "Idempotency-Key: $key" \
    --data '{"name":"Rex","categoryId":9007199254740993,"status":"available"}'
}
added=$(create)
case $added in
  *'"id":'*) ;;
  *) refusal "$added" >&2 && exit 1 ;;
esac
echo "Added animal $(echo "$added" | field id) of category $(echo "$added" | field categoryId)."

again=$(create)
echo "$again" | grep -qi '^Idempotency-Replayed: true' && how=replayed || how='added anew'
echo "Sent again: animal $(echo "$again" | field id), $how."

# The address of the next page stands in the Link header, and may be a path alone.
pages=0 animals=0 next="$url/pets?status=available&limit=2"
origin=$(echo "$url" | sed 's#^\(https*://[^/]*\).*#\1#')
while [ -n "$next" ]; do
  page=$(call "$next" --include)
  pages=$((pages + 1))
  animals=$((animals + $(echo "$page" | grep -o '"id":' | wc -l)))
  next=$(echo "$page" | sed -n 's/^[Ll]ink: <\([^>]*\)>; rel="next".*/\1/p')
  case $next in /*) next=$origin$next ;; esac
done
echo "Found $animals available animals on $pages pages."

refused=$(call "$url/pets" --data '{"name":"","categoryId":7}')
echo "Refused: $(refusal "$refused")"
