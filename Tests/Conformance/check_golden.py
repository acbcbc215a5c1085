#!/usr/bin/env python3
"""Encodes and decodes every golden file with the Python codec, both ways."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from checking import Failure, Report, expect  # noqa: E402
from martlet_protocol import control, data, json_form, message, routing  # noqa: E402
from martlet_protocol.errors import OperationRefused, ProtocolError  # noqa: E402
from martlet_protocol.header import Type  # noqa: E402


def load(name: str) -> Any:
    """The content of a golden file."""
    return json.loads((HERE / "golden" / name).read_text(encoding="ascii"))


def frames_decode() -> None:
    """Every golden frame decodes to the values written beside it."""
    for frame in load("frames.json"):
        decoded = json_form.message_to_json(message.decode(bytes.fromhex(frame["hex"])))
        expect(decoded == frame["decoded"], f"{frame['name']}: {decoded}")


def frames_encode() -> None:
    """The values beside every golden frame encode to its bytes."""
    for frame in load("frames.json"):
        if not frame.get("decodeOnly"):
            encoded = message.encode(json_form.message_from_json(frame["decoded"]))
            expect(encoded.hex() == frame["hex"], f"{frame['name']}: {encoded.hex()}")


def frames_cover_every_type() -> None:
    """There is a golden frame of every type that version 1 specifies."""
    seen = {frame["decoded"]["type"] for frame in load("frames.json")}
    missing = {type.name for type in message.CODECS} - seen
    expect(not missing, f"no frame of {sorted(missing)}")


def truncated_frames_are_refused() -> None:
    """Every prefix of a golden frame is malformed, and so is a byte too many."""
    for frame in load("frames.json"):
        whole = bytes.fromhex(frame["hex"])
        lengths = range(len(whole)) if len(whole) < 300 else range(0, len(whole), 997)
        for part in [whole[:length] for length in lengths] + [whole + b"\0"]:
            answer, code = verdict(part)
            expect(code == "malformed", f"{frame['name']}, {len(part)} bytes: {answer} {code}")


def shortened_bodies_are_refused() -> None:
    """A golden frame whose body lacks its end is refused even if the lengths agree."""
    for frame in load("frames.json"):
        whole = bytes.fromhex(frame["hex"])
        body = int.from_bytes(whole[20:24], "little")
        for cut in range(1, body + 1, 1 if body < 300 else 997):
            part = whole[:20] + (body - cut).to_bytes(4, "little") + whole[24 : len(whole) - cut]
            expect(verdict(part)[0] != "accepted", f"{frame['name']} without {cut} bytes")


def verdict(frame: bytes) -> "tuple[str, str]":
    """What the codec says of a frame: the kind of answer it deserves, and the code."""
    try:
        message.decode(frame)
    except ProtocolError as error:
        return "ERROR", error.code.name
    except OperationRefused as refused:
        return "REFUSED", refused.cause.name
    return "accepted", ""


def malformed_frames_are_refused() -> None:
    """Every malformed frame is refused with the code written beside it."""
    for frame in load("malformed.json")["refused"]:
        got = verdict(bytes.fromhex(frame["hex"]))
        expect(got == (frame["answer"], frame["code"]), f"{frame['wrong']}: {got}")


def unusual_frames_are_accepted() -> None:
    """Every frame of the accepted list decodes."""
    for frame in load("malformed.json")["accepted"]:
        got = verdict(bytes.fromhex(frame["hex"]))
        expect(got[0] == "accepted", f"{frame['name']}: {got}")


def xxh64_is_right() -> None:
    """XXH64 gives the published values and those of the golden file."""
    published = [(b"", 0, 0xEF46DB3751D8E999), (b"abc", 0, 0x44BC2CF5AD770999),
                 (b"Nobody inspects the spammish repetition", 0, 0xFBCEA83C8A378BF1),
                 (b"xxhash", 20141025, 0xB559B98D844E0635)]
    for input, seed, hash in published:
        expect(routing.xxh64(input, seed) == hash, f"XXH64 of {input!r}")
    for vector in load("hashes.json")["xxh64"]:
        hash = routing.xxh64(bytes.fromhex(vector["input"]), int(vector["seed"]))
        expect(str(hash) == vector["hash"], f"{vector}: {hash}")


def hashes_are_right() -> None:
    """Mix, route and shard hashes are those of the golden file."""
    hashes = load("hashes.json")
    for vector in hashes["mix"]:
        expect(str(routing.mix(int(vector["input"]))) == vector["output"], str(vector))
    for vector in hashes["routes"]:
        route = routing.route(vector["namespace"], bytes.fromhex(vector["key"]))
        expect(str(route) == vector["route"], str(vector))
    for vector in hashes["shards"]:
        hash = routing.shard_hash(vector["node"], vector["shard"])
        expect(str(hash) == vector["hash"], str(vector))


def owners_are_right() -> None:
    """The owners of keys are those of the golden file."""
    for case in load("hashes.json")["owners"]:
        nodes = [(node["id"], node["shards"], node["weight"]) for node in case["nodes"]]
        for key in case["keys"]:
            among = nodes
            if case["kind"] == "replicated":
                among = [node for node in nodes if node[0] == key["node"]]
            index, shard = routing.owner(among, key["namespace"], bytes.fromhex(key["key"]))
            got = (among[index][0], shard)
            expect(got == (key["node"], key["shard"]), f"{case['name']}, {key}: {got}")


def equal_weights_choose_alike() -> None:
    """With equal weights the weighted rule chooses as the plain one does."""
    nodes = [("node1", 2), ("node2", 2), ("node3", 2)]
    for index in range(300):
        key = b"key-%d" % index
        plain = routing.owner([(id, shards, 1_000) for id, shards in nodes], "default", key)
        hash = routing.route("default", key)
        places = [(node, shard) for node, (_, shards) in enumerate(nodes)
                  for shard in range(shards)]
        costs = {place: routing.cost(
            routing.score(hash, routing.shard_hash(nodes[place[0]][0], place[1])), 1_000)
            for place in places}
        expect(min(places, key=lambda place: costs[place]) == plain, f"{key!r}")


def tokens_read_and_write() -> None:
    """A fill token decodes to its parts and encodes back to its 32 bytes."""
    for frame in load("frames.json"):
        if frame["name"] == "RESULTS MISS with token":
            bytes_ = bytes.fromhex(frame["decoded"]["body"]["results"][0]["token"])
            token = data.Token.decode(bytes_)
            expect(token.epoch == 7 and token.sequence == 41, str(token))
            expect(token.encode() == bytes_, "the token changes on its way")
            return
    raise Failure("no frame holds a token")


def digests_form_a_chain() -> None:
    """The digest of each golden record is what the next one calls its previous."""
    for frame in load("frames.json"):
        if frame["name"] != "RECORDS ten, every scope":
            continue
        records = message.decode(bytes.fromhex(frame["hex"])).body.records
        offset = 24
        whole = bytes.fromhex(frame["hex"])
        for record, following in zip(records, records[1:]):
            length = int.from_bytes(whole[offset : offset + 4], "little")
            digest = routing.xxh64(whole[offset : offset + length])
            offset += length
            expect(digest == record.digest == following.previous_digest, "the chain breaks")
        return
    raise Failure("no frame holds a chain")


def oversized_frames_are_not_encoded() -> None:
    """The encoder refuses a message whose frame would be longer than allowed."""
    operations = [data.SetOperation(b"a", bytes(524_288)) for _ in range(2)]
    try:
        message.encode(message.Message(Type.SET, data.SetBody(operations)))
    except ValueError:
        return
    raise Failure("it was encoded")


def empty_log_begins_at_its_id() -> None:
    """The digest of the first golden record's predecessor is the log id."""
    for frame in load("frames.json"):
        if frame["name"] == "RECORDS one":
            body: control.Records = message.decode(bytes.fromhex(frame["hex"])).body
            expect(body.records[0].sequence == 1, "the first record is not number 1")
            expect(body.records[0].previous_digest == 0x0123456789ABCDEF, "not the log id")


CHECKS: List[Callable[[], None]] = [
    frames_decode, frames_encode, frames_cover_every_type, truncated_frames_are_refused,
    shortened_bodies_are_refused, malformed_frames_are_refused, unusual_frames_are_accepted,
    xxh64_is_right, hashes_are_right, owners_are_right, equal_weights_choose_alike,
    tokens_read_and_write, digests_form_a_chain, empty_log_begins_at_its_id,
    oversized_frames_are_not_encoded,
]


def main() -> int:
    """Runs all checks."""
    report = Report()
    checks: Dict[str, Callable[[], None]] = {check.__name__: check for check in CHECKS}
    for name, check in checks.items():
        report.run(name, check)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
