"""Checks that wrong input gets a clear answer, and that the peer is served on."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any, Dict, List, Tuple

import zmq

from checking import Failure, expect
from checks_live import heartbeat
from cluster import Cluster, hit, status_is
from martlet_client import Connection, NoAnswer, ServerError
from martlet_protocol import admin, control, data, limits, message
from martlet_protocol.admin import Kind, Scope
from martlet_protocol.data import Status
from martlet_protocol.errors import Cause, Code
from martlet_protocol.fields import Fields
from martlet_protocol.header import BYTES, Type, frame
from martlet_protocol.reading import U64, u16

GOLDEN = Path(__file__).resolve().parent / "golden"
NO_ANSWERS_AT_MOST = 3


def _load(list_name: str) -> List[Dict[str, Any]]:
    frames: List[Dict[str, Any]] = json.loads(
        (GOLDEN / "malformed.json").read_text(encoding="ascii"))[list_name]
    return frames


def _served(connection: Connection) -> None:
    """Expects a peer to be answered."""
    answer = connection.request(Type.TOPOLOGY, admin.Empty(), timeout=5)
    expect(answer.type == Type.TOPOLOGY_REPORT, f"{answer.type.name} to a TOPOLOGY")


def _all_served(cluster: Cluster) -> None:
    """Expects every port to serve an old peer and a new one."""
    client = cluster.client
    space = cluster.namespace()
    for endpoint in [client.topology.control] + client.endpoints:
        _served(client.connection(endpoint))
        fresh = client.fresh_connection(endpoint)
        try:
            _served(fresh)
        finally:
            fresh.close()
    live = client.live()
    try:
        heartbeat(live)
    finally:
        live.close()
    status_is(client.set(b"k", b"v", space), Status.STORED)
    hit(client.get(b"k", space), b"v")
    cluster.applied_everywhere(client.invalidate([Scope(Kind.key, b"k", space)]))
    status_is(client.get(b"k", space), Status.MISS)


def _wrong_answer(entry: Dict[str, Any], raw: bytes) -> str:
    """What is wrong with the answer to a malformed frame; empty if nothing is."""
    answer = message.decode(raw)
    sent = bytes.fromhex(entry["hex"])
    id = int.from_bytes(sent[8:16], "little") if len(sent) >= BYTES else 0
    unread = entry["code"] == "unsupportedVersion" or sent[:2] != b"ML"
    if answer.request_id != id and not (unread and answer.request_id == 0):
        return f"request id {answer.request_id} instead of {id}"
    if entry["answer"] == "ERROR":
        if answer.type != Type.ERROR:
            return f"{answer.type.name} instead of ERROR {entry['code']}"
        if answer.body.code != Code[entry["code"]]:
            return f"ERROR {answer.body.code} ({answer.body.message}) instead of {entry['code']}"
        return "" if answer.body.message else "an ERROR without a sentence"
    if answer.type != Type.RESULTS or len(answer.body.results) != 1:
        return f"{answer.type.name} instead of RESULTS"
    result = answer.body.results[0]
    if result.status != Status.REFUSED or result.detail != Cause[entry["code"]]:
        return f"status {result.status}, detail {result.detail} instead of {entry['code']}"
    return ""


def _send_refused(connection: Connection, role: str) -> None:
    """Sends every malformed frame meant for a role and looks at each answer."""
    wrong, silent = [], 0
    entries = [each for each in _load("refused") if each["to"] in (role, "either")]
    for entry in entries:
        connection.send_raw(bytes.fromhex(entry["hex"]))
        try:
            why = _wrong_answer(entry, connection.receive_raw(1.0))
        except NoAnswer:
            why, silent = "no answer", silent + 1
        if why:
            wrong.append(f"{entry['wrong']}: {why}")
            print(f"# {wrong[-1]}", flush=True)
        if silent > NO_ANSWERS_AT_MOST:
            break
    expect(not wrong, f"{len(wrong)} of {len(entries)} frames, first {wrong[:1]}")
    _served(connection)


def shards_refuse_malformed_frames(cluster: Cluster) -> None:
    """A shard refuses every malformed frame with its code and serves the same peer on."""
    connection = cluster.client.fresh_connection(cluster.client.owner(b"k"))
    try:
        _send_refused(connection, "shard")
    finally:
        connection.close()


def publishers_refuse_malformed_frames(cluster: Cluster) -> None:
    """The publisher refuses every malformed frame with its code and serves the same peer on."""
    before = cluster.head()
    connection = cluster.client.fresh_connection(cluster.client.topology.control)
    try:
        _send_refused(connection, "publisher")
    finally:
        connection.close()
    expect(cluster.head() == before, "a refused frame was appended to the log")


def unusual_frames_are_served(cluster: Cluster) -> None:
    """Frames that only look suspicious are served, by the shard and by the publisher."""
    client = cluster.client
    for role, endpoint in (("shard", client.endpoints[0]), ("publisher", client.topology.control)):
        connection = client.fresh_connection(endpoint)
        try:
            for entry in _load("accepted"):
                if entry["to"] not in (role, "either"):
                    continue
                sent = bytes.fromhex(entry["hex"])
                connection.send_raw(sent)
                answer = message.decode(connection.receive_raw(2))
                expect(answer.type.name == entry["answer"],
                       f"{entry['name']}: {answer.type.name} {answer.body}")
                id = int.from_bytes(sent[8:16], "little")
                expect(answer.request_id == id, f"{entry['name']}: request id")
        finally:
            connection.close()


def roles_refuse_what_is_not_theirs(cluster: Cluster) -> None:
    """A known message sent to the wrong role, or an answer sent as a request, is `unsupported`."""
    client = cluster.client
    get = data.Get([data.GetOperation(b"k")])
    scope = admin.Invalidate(0, 0, 0, [Scope(Kind.key, b"k")])
    results = data.Results(data.Proof(1, 3, U64(1), 0, 1), [data.Result(Status.HIT)])
    mark = control.Mark(0, U64(0), U64(0))
    scan = admin.Scan(U64(0), 10, Kind.namespace, 0, b"")
    shard, publisher = client.endpoints[0], client.topology.control
    requests = [
        (publisher, Type.GET, get), (publisher, Type.SCAN, scan), (shard, Type.INVALIDATE, scope),
        (shard, Type.RESUME, control.Resume(U64(0), U64(0), mark, 1)),
        (shard, Type.RESULTS, results), (publisher, Type.RESULTS, results),
    ]
    for endpoint, type, body in requests:
        try:
            answer = client.connection(endpoint).request(type, body)
        except ServerError as error:
            expect(error.code == Code.unsupported, f"{type.name} to {endpoint}: {error}")
        else:
            raise Failure(f"{type.name} to {endpoint} was answered with {answer.type.name}")
    _all_served(cluster)


def longest_frames_are_served(cluster: Cluster) -> None:
    """A frame of exactly 1048576 bytes is served."""
    client, space = cluster.client, cluster.namespace()
    keys = cluster.keys_together(2, space)
    values = [bytes(limits.PART_BYTES), b""]
    sets = data.SetBody([data.SetOperation(*pair) for pair in zip(keys, values)])
    made = message.Message(Type.SET, sets, U64(1), Fields(space))
    left = limits.FRAME_BYTES - len(message.encode(made))
    sets.operations[1].value = b"x" * left
    connection = client.connection(client.owner(keys[0], space))
    expect(len(message.encode(made)) == limits.FRAME_BYTES, "the frame has another length")
    answer = connection.request(Type.SET, sets, Fields(space))
    statuses = [result.status for result in answer.body.results]
    expect(statuses == [Status.STORED] * 2, f"statuses {statuses}")
    hit(client.get(keys[1], space), b"x" * left)


def longer_frames_cost_the_connection_only(cluster: Cluster) -> None:
    """A frame of 1048577 bytes is not answered, and everybody is served on."""
    client = cluster.client
    for endpoint in (client.endpoints[0], client.topology.control):
        connection = client.fresh_connection(endpoint)
        try:
            _served(connection)
            body = u16(1) + u16(0) + b"k"
            body += bytes(limits.FRAME_BYTES + 1 - BYTES - len(body))
            connection.send_raw(frame(Type.GET, 1, 5, b"", body))
            try:
                raw = connection.receive_raw(0.3)
            except NoAnswer:
                pass
            else:
                raise Failure(f"{endpoint} answered with {message.decode(raw).type.name}")
        finally:
            connection.close()
    _all_served(cluster)


def several_frames_in_one_message_harm_nobody(cluster: Cluster) -> None:
    """A message of several frames, such as a REQ socket sends, is refused or left unanswered."""
    client = cluster.client
    good = frame(Type.TOPOLOGY, 0, 9)
    for endpoint in (client.endpoints[0], client.topology.control):
        connection = client.fresh_connection(endpoint)
        try:
            for parts in ([b"", good], [good, good], [good, b""], [b""] * 50):
                connection.socket.send_multipart(parts)
            # Answers to these carry the id 9 or 0; they must not be taken for served requests.
            _only_errors(connection)
            _served(connection)
        finally:
            connection.close()
    _all_served(cluster)


def _only_errors(connection: Connection) -> None:
    """Expects nothing but ERRORs before the answer to a request sent now."""
    id = connection.send(Type.TOPOLOGY, admin.Empty())
    while True:
        answer = message.decode(connection.receive_raw(5))
        if answer.request_id == id:
            return
        expect(answer.type == Type.ERROR, f"{answer.type.name} to a message of several frames")


def garbage_frames_harm_nobody(cluster: Cluster) -> None:
    """Hundreds of frames of random bytes, and of good frames with flipped bits, harm nobody."""
    client, random = cluster.client, cluster.random
    golden = json.loads((GOLDEN / "frames.json").read_text(encoding="ascii"))
    # DELETE and INVALIDATE are kept out: flipped ones may still be valid and hide other entries.
    samples = [bytes.fromhex(each["hex"]) for each in golden
               if len(each["hex"]) < 4_000 and each["decoded"]["type"] not in
               ("INVALIDATE", "DELETE", "CHUNK", "HELLO", "BYE", "PING", "ACK")]
    for endpoint in [client.topology.control] + client.endpoints:
        connection = client.fresh_connection(endpoint)
        try:
            for _ in range(100):
                size = random.choice((0, 1, 23, 24, 25, 60, 3_000))
                connection.send_raw(random.getrandbits(8 * size + 1).to_bytes(size + 1, "little"))
            for _ in range(200):
                sample = bytearray(random.choice(samples))
                sample[random.randrange(len(sample))] ^= 1 << random.randrange(8)
                connection.send_raw(bytes(sample))
            # Also proves that all of the above went out: messages to one peer keep their order.
            _served(connection)
        finally:
            connection.close()
    _all_served(cluster)


def _tcp(endpoint: str) -> Tuple[str, int]:
    host, port = endpoint[len("tcp://") :].rsplit(":", 1)
    return host, int(port)


def _ports(cluster: Cluster) -> List[str]:
    topology = cluster.client.topology
    every = [topology.control, topology.live] + cluster.client.endpoints
    return [endpoint for endpoint in every if endpoint.startswith("tcp://")]


def _throw(endpoint: str, data: bytes) -> None:
    """Sends bytes over a plain TCP connection; the peer may close it at any time."""
    try:
        with socket.create_connection(_tcp(endpoint), timeout=2) as peer:
            peer.settimeout(2)
            peer.sendall(data)
    except (ConnectionError, socket.timeout):
        pass


def random_bytes_on_a_port_harm_nobody(cluster: Cluster) -> None:
    """Random bytes, HTTP and silence on every TCP port harm nobody."""
    random = cluster.random
    for endpoint in _ports(cluster):
        for size in (0, 1, 9, 10, 64, 65, 1_000, 100_000):
            _throw(endpoint, random.getrandbits(8 * size + 1).to_bytes(size + 1, "little"))
        _throw(endpoint, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        _throw(endpoint, bytes(70_000))
        _throw(endpoint, b"\xff" * 70_000)
    _all_served(cluster)


def _greeting(kind: bytes) -> bytes:
    """A ZMTP 3.0 greeting with the mechanism NULL, and a READY command."""
    greeting = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
    ready = b"\x05READY\x0bSocket-Type" + len(kind).to_bytes(4, "big") + kind
    return greeting + b"\x04" + bytes([len(ready)]) + ready


def random_zmtp_frames_harm_nobody(cluster: Cluster) -> None:
    """Random ZMTP frames and commands after a good handshake harm nobody."""
    random = cluster.random
    kinds = (b"DEALER", b"SUB", b"REQ", b"PUSH", b"nonsense")
    for endpoint in _ports(cluster):
        for kind in kinds:
            parts = [_greeting(kind)]
            for _ in range(30):
                size = random.randrange(200)
                flags = random.choice((0, 0, 0, 1, 4))
                noise = random.getrandbits(8 * size + 1).to_bytes(size + 1, "little")[:size]
                parts.append(bytes([flags, size]) + noise)
            _throw(endpoint, b"".join(parts))
        _throw(endpoint, _greeting(b"DEALER") + b"\x02" + b"\x7f" + b"\xff" * 7 + b"x" * 100)
        _throw(endpoint, _greeting(b"DEALER") + bytes([random.randrange(8, 256)]) + b"\xff" * 99)
        _throw(endpoint, _greeting(b"DEALER")[: random.randrange(10, 90)])
        _throw(endpoint, _greeting(b"SUB") + b"\x00\x05\x01ML\x01\x30" * 100)
    _all_served(cluster)


def odd_subscriptions_harm_nobody(cluster: Cluster) -> None:
    """Subscriptions to nothing, to everything and to very long topics harm nobody."""
    client = cluster.client
    for topic in (b"", b"M", b"ML\x01", b"\xff" * 10_000):
        odd = client.context.socket(zmq.SUB)
        odd.setsockopt(zmq.LINGER, 0)
        odd.setsockopt(zmq.SUBSCRIBE, topic)
        odd.connect(client.topology.live)
        try:
            if topic != b"\xff" * 10_000:
                expect(odd.poll(3_000), f"nothing is heard with the topic {topic!r}")
        finally:
            odd.close()
    _all_served(cluster)


CHECKS = [
    shards_refuse_malformed_frames, publishers_refuse_malformed_frames, unusual_frames_are_served,
    roles_refuse_what_is_not_theirs, longest_frames_are_served,
    longer_frames_cost_the_connection_only, several_frames_in_one_message_harm_nobody,
    garbage_frames_harm_nobody, random_bytes_on_a_port_harm_nobody,
    random_zmtp_frames_harm_nobody, odd_subscriptions_harm_nobody,
]
