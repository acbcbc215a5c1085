"""`/v1/stream`: what the document says of it, held against what is answered.

schemathesis would wait for the end of an answer, which has none.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
import random
import re
import urllib.parse
from typing import Any, Dict, List, Optional, Tuple

import jsonschema_rs

from process_tools import PATIENCE
from references import resolved
from world import World

WRONG = [
    "everything=false", "namespace=a%2Fb", "namespace=", "key=", "key=a%2", "prefix=n/", "tag=%",
    "after=1", "after=1:x", "after=4294967296:0", "nothing=1", "", "key=" + "k" * 4097,
    "tag=" + "t" * 256, "&".join(["key=k"] * 65),
]
"""Queries that the document does not allow, or says in words that they are too much."""


class Document:
    """The schemas of the document."""

    def __init__(self, document: Dict[str, Any]) -> None:
        self.document = document
        self.operation = document["paths"]["/v1/stream"]["get"]

    def validator(self, name: str) -> Any:
        schema = {"$ref": f"#/components/schemas/{name}", "components": self.document["components"]}
        return jsonschema_rs.Draft202012Validator(schema)

    def parameters(self) -> List[Dict[str, Any]]:
        found = [resolved(each, self.document) for each in self.operation["parameters"]]
        return [each for each in found if each["in"] == "query"]

    def allows(self, parameter: Dict[str, Any], value: str) -> bool:
        schema = parameter["schema"].get("items", parameter["schema"])
        return re.fullmatch(schema["pattern"], value, re.DOTALL) is not None


def hold(world: World, cases: int, seed: int) -> str:
    """- Returns: how much was asked."""
    dice = random.Random(seed)
    status, _, body = ask(world, "/v1/openapi.json")
    assert status == 200
    document = Document(json.loads(body))
    message, event = document.validator("PushMessage"), document.validator("PushEvent")
    problem = document.validator("Problem")
    kinds = set()
    for _ in range(cases):
        query = right(document, dice)
        status, kind, events = ask(world, f"/v1/stream?{query}", listens=True)
        assert (status, kind) == (200, "text/event-stream"), f"{query}: {status} {events!r}"
        for each in events:
            event.validate(each)
            if "data" in each:
                message.validate(json.loads(each["data"]))
                kinds.add(each["event"])
    for query in WRONG:
        status, kind, body = ask(world, f"/v1/stream?{query}")
        assert (status, kind) == (400, "application/problem+json"), f"{query}: {status} {body!r}"
        problem.validate(json.loads(body))
    for method in ("POST", "PUT", "DELETE", "PURGE", "HEAD", "OPTIONS"):
        status, _, body = ask(world, "/v1/stream?everything", method=method)
        assert status in (400, 405), f"{method}: {status}"
        assert str(status) in document.operation["responses"]
    upgraded(world, document)
    assert "hello" in kinds, kinds
    return f"{cases} streams, {len(WRONG)} refusals"


def right(document: Document, dice: random.Random) -> str:
    """A query that the document allows."""
    words: List[Tuple[str, str]] = []
    while not [name for name, _ in words if name != "after"]:
        for parameter in document.parameters():
            if dice.random() < 0.7:
                continue
            value = {
                "everything": "", "namespace": "n-1._", "after": f"{dice.randrange(3)}:0"
            }.get(parameter["name"]) or text(dice)
            value = "" if parameter["name"] == "everything" else value
            assert document.allows(parameter, value), (parameter, value)
            words.append((parameter["name"], value))
    return urllib.parse.urlencode(words, quote_via=urllib.parse.quote)


def text(dice: random.Random) -> str:
    name = "".join(chr(dice.choice([dice.randrange(1, 0x2f), dice.randrange(0x30, 0x2000)]))
                   for _ in range(dice.randrange(1, 20)))
    return dice.choice(["", "n/"]) + name


def ask(
    world: World, target: str, method: str = "GET", listens: bool = False
) -> Tuple[int, Optional[str], Any]:
    """Status, media type, and the body, or its first events."""
    connection = http.client.HTTPConnection(world.place, timeout=PATIENCE)
    try:
        connection.request(method, target)
        answer = connection.getresponse()
        kind = answer.getheader("Content-Type")
        is_stream = listens and answer.status == 200
        return answer.status, kind, events_of(answer) if is_stream else answer.read()
    finally:
        connection.close()


def events_of(answer: http.client.HTTPResponse) -> List[Dict[str, Any]]:
    """Up to the first message."""
    found: List[Dict[str, Any]] = []
    while not any("data" in each for each in found):
        event: Dict[str, Any] = {}
        while line := answer.readline().decode().rstrip("\n"):
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            event[name] = int(value) if name == "retry" else value
        found.append(event)
    return found


def upgraded(world: World, document: Document) -> None:
    """The 101 has what the document says."""
    connection = http.client.HTTPConnection(world.place, timeout=PATIENCE)
    connection.request("GET", "/v1/stream?everything", headers={
        "traceparent": f"00-{os.urandom(16).hex()}-{os.urandom(8).hex()}-01",
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode()})
    assert connection.sock is not None
    head = connection.sock.recv(4096).split(b"\r\n\r\n")[0].decode()
    connection.close()
    assert head.startswith("HTTP/1.1 101 "), head
    for name in document.operation["responses"]["101"]["headers"]:
        assert f"\r\n{name.lower()}:" in head.lower(), f"{name} is missing: {head}"
