"""python3 -m pip install requests; python3 examples/first_steps.py"""

import os
import random
import sys
import time
import uuid

import requests

URL = os.environ.get("ANIMAL_STORE_URL", "http://127.0.0.1:8080/v1")
KEY = os.environ.get("ANIMAL_STORE_KEY") or sys.exit("Set ANIMAL_STORE_KEY to an API key.")
ATTEMPTS = 5
# long enough for the next minute; the caller handles longer waits, such as for the next day
LONGEST_WAIT_S = 90


session = requests.Session()
session.headers["Authorization"] = f"Bearer {KEY}"


def call(address, body=None, headers=None):
    """Returns the answer. Waits if the service asks for it, and adds no animal twice."""
    method = "GET" if body is None else "POST"
    # a creation may have succeeded despite a 503, so it is repeated only with an Idempotency-Key
    passing = (429, 503) if body is None or headers else (429,)
    for attempt in range(ATTEMPTS):
        try:
            answer = session.request(method, address, json=body, headers=headers, timeout=30)
        except requests.RequestException:
            sys.exit(f"No answer from {address}. Does the service run there?")
        # plus a random part, so that clients do not retry at the same moment
        wait_s = int(answer.headers.get("Retry-After", 0)) + random.uniform(0.1, 0.2) * 2**attempt
        if answer.status_code not in passing or attempt == ATTEMPTS - 1 or wait_s > LONGEST_WAIT_S:
            return answer
        time.sleep(wait_s)


def told(answer):
    """The status, code and message of a failure."""
    error = answer.json()
    return f"{error['status']} {error['code']}: {error['message']}"


# with an Idempotency-Key, a creation can be sent again if its answer was lost
creation = {"name": "Rex", "categoryId": 9007199254740993, "status": "available"}
idempotency = {"Idempotency-Key": str(uuid.uuid4())}
added = call(f"{URL}/pets", creation, idempotency)
if added.status_code != 201:
    sys.exit(told(added))
# Python's integers keep all digits
pet = added.json()
print(f"Added animal {pet['id']} of category {pet['categoryId']}.")

again = call(f"{URL}/pets", creation, idempotency)
how = "replayed" if again.headers.get("Idempotency-Replayed") == "true" else "added again"
print(f"Sent again: animal {again.json()['id']}, {how}.")

pages = animals = 0
first = address = f"{URL}/pets?status=available&limit=2"
while address:
    page = call(address)
    if page.status_code != 200:
        sys.exit(told(page))
    pages += 1
    animals += len(page.json())
    cursor = page.headers.get("X-Next-Cursor")
    address = cursor and f"{first}&cursor={cursor}"
print(f"Found {animals} available animals on {pages} pages.")

print(f"Refused: {told(call(f'{URL}/pets', {'name': '', 'categoryId': 7}))}")
