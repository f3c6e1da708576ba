"""Says for each line {"at", "way", "text"} whether the JSON text is valid by the schema at that place of a contract.

The validator is jsonschema-rs. A line of its own comes first: the contract. Schemas of OpenAPI 3.0 are written as those of
JSON Schema 2020-12.
"""

import base64
import json
import sys
from urllib.parse import quote

import jsonschema_rs

# examples may be nested deeply
sys.setrecursionlimit(10_000)
contract = json.loads(sys.stdin.readline())
IS_FIRST = contract["openapi"].startswith("3.0")


def resolved(schema):
    while isinstance(schema, dict) and str(schema.get("$ref")).startswith("#/"):
        node = contract
        for key in schema["$ref"].lstrip("#/").split("/"):
            node = node[key.replace("~1", "/").replace("~0", "~")]
        schema = node
    return schema if isinstance(schema, dict) else {}


def converted(node, unsent):
    """`unsent` is the keyword of properties that a message of this way does not have."""
    if isinstance(node, list):
        return [converted(one, unsent) for one in node]
    if not isinstance(node, dict):
        return node
    copy = {key: converted(value, unsent) for key, value in node.items()}
    if isinstance(node.get("$ref"), str):
        copy["$ref"] = quote(node["$ref"], safe="#/:%~?&=+,;@!$'()*")
        if IS_FIRST:
            return {"$ref": copy["$ref"]}
    properties = node.get("properties")
    if isinstance(node.get("required"), list) and isinstance(properties, dict):
        copy["required"] = [
            name for name in node["required"] if resolved(properties.get(name)).get(unsent) is not True
        ]
    if not IS_FIRST:
        return copy
    for limit, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(node.get(exclusive), bool):
            del copy[exclusive]
            if node[exclusive] and limit in copy:
                copy[exclusive] = copy.pop(limit)
    if node.get("nullable") is True and isinstance(node.get("type"), str):
        copy["type"] = [node["type"], "null"]
    return copy


def is_base64(text):
    """The format byte, which JSON Schema does not have (RFC 4648, section 4)."""
    try:
        return base64.b64decode(text, validate=True) is not None
    except ValueError:
        return False


def validators(unsent):
    registry = jsonschema_rs.Registry([("urn:contract", converted(contract, unsent))])
    made = {}

    def validator(at):
        if at not in made:
            made[at] = jsonschema_rs.Draft202012Validator(
                {"$ref": f"urn:contract#{quote(at)}"}, registry=registry, validate_formats=True, formats={"byte": is_base64}
            )
        return made[at]

    return validator


ways = {"request": validators("readOnly"), "answer": validators("writeOnly")}
for line in sys.stdin:
    asked = json.loads(line)
    try:
        value = json.loads(asked["text"])
        fault = next((f"{one.instance_path} {one.message}" for one in ways[asked["way"]](asked["at"]).iter_errors(value)), None)
    except Exception as error:  # a schema that it cannot read, or no JSON
        fault = f"not judged: {error}".split("\n")[0]
    print(json.dumps(fault and fault[:300]))
