"""python3 examples/first_steps.py"""

import json
import os
import random
import re
import sys
import time
import uuid
from urllib.error import HTTPError
from urllib.parse import urljoin
from urllib.request import Request, urlopen

URL = os.environ.get("ANIMAL_STORE_URL", "http://127.0.0.1:8080/v1")
KEY = os.environ.get("ANIMAL_STORE_KEY") or sys.exit("Set ANIMAL_STORE_KEY to an API key.")
ATTEMPTS = 5
# long enough for the next minute; the caller handles longer waits, such as for the next day
LONGEST_WAIT_S = 90


def call(address, body=None, headers=None):
    """Returns status, headers and body of the answer. Waits if the service asks for it, and adds no animal twice."""
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json", **(headers or {})}
    data = None if body is None else json.dumps(body).encode()
    # a creation may have succeeded despite a 503, so it is repeated only with an Idempotency-Key
    passing = (429, 503) if body is None or "Idempotency-Key" in headers else (429,)
    for attempt in range(ATTEMPTS):
        try:
            answer = urlopen(Request(address, data, headers), timeout=30)
        except HTTPError as error:
            answer = error
        with answer:
            # Python's integers keep all digits
            status, headers_of, content = answer.status, answer.headers, json.load(answer)
        # plus a random part, so that clients do not retry at the same moment
        wait_s = int(headers_of.get("Retry-After", 0)) + random.uniform(0.1, 0.2) * 2**attempt
        if status not in passing or attempt == ATTEMPTS - 1 or wait_s > LONGEST_WAIT_S:
            return status, headers_of, content
        time.sleep(wait_s)


# with an Idempotency-Key, a creation can be sent again if its answer was lost
creation = {"name": "Rex", "categoryId": 9007199254740993, "status": "available"}
idempotency = {"Idempotency-Key": str(uuid.uuid4())}
status, _, added = call(f"{URL}/pets", creation, idempotency)
if status != 201:
    sys.exit(f"{status} {added['code']}: {added['message']}")
print(f"Added animal {added['id']} of category {added['categoryId']}.")

_, headers, again = call(f"{URL}/pets", creation, idempotency)
how = "replayed" if headers.get("Idempotency-Replayed") == "true" else "added again"
print(f"Sent again: animal {again['id']}, {how}.")

# the Link header has the address of the next page, which may be only a path
pages = animals = 0
address = f"{URL}/pets?status=available&limit=2"
while address:
    status, headers, page = call(address)
    if status != 200:
        sys.exit(f"{status} {page['code']}: {page['message']}")
    pages += 1
    animals += len(page)
    following = re.search(r'<([^>]*)>; rel="next"', headers.get("Link", ""))
    address = following and urljoin(address, following[1])
print(f"Found {animals} available animals on {pages} pages.")

status, _, error = call(f"{URL}/pets", {"name": "", "categoryId": 7})
print(f"Refused: {status} {error['code']}: {error['message']}")
