"""A small synchronous client of the Martlet protocol over pyzmq.

One DEALER for each endpoint; requests carry ids, answers are matched by them. Not for use by
several threads. Every wait has a deadline.
"""

from __future__ import annotations

import os
import time
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import zmq

import key_pair
from key_pair import KeyPair
from martlet_protocol import (
    admin, control, data, explaining, following, leaving, limits, message, pacing, routing, slots)
from martlet_protocol.admin import Kind, Scope
from martlet_protocol.errors import Code
from martlet_protocol.fields import Fields, Position
from martlet_protocol.header import TOPIC_HEARTBEAT, TOPIC_RECORDS, Type
from martlet_protocol.message import Message
from martlet_protocol.reading import U64


class NoAnswer(Exception):
    """No answer came before the deadline."""


class ServerError(Exception):
    """A request was answered with ERROR."""

    def __init__(self, error: data.Error, retry_after: Optional[int]) -> None:
        name = Code(error.code).name if error.code in set(Code) else str(error.code)
        super().__init__(f"{name}: {error.message}")
        self.code = error.code
        self.name = name
        self.retry_after = retry_after


class Connection:
    """A DEALER to one endpoint, which may name its server's key."""

    def __init__(self, context: zmq.Context, endpoint: str,
                 keys: Optional[KeyPair] = None) -> None:
        self.endpoint = endpoint
        self.socket = context.socket(zmq.DEALER)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.setsockopt(zmq.MAXMSGSIZE, key_pair.frame_bytes(endpoint, limits.FRAME_BYTES))
        key_pair.connect(self.socket, endpoint, keys)
        self._next = int.from_bytes(os.urandom(6), "little")
        self._early: Dict[int, Message] = {}

    def send(self, type: Type, body: Any, fields: Optional[Fields] = None) -> int:
        """Sends a request and gives its id."""
        self._next += 1
        made = Message(type, body, U64(self._next), fields or Fields())
        self.send_raw(message.encode(made))
        return self._next

    def send_raw(self, frame: bytes) -> None:
        """Sends a frame as it is; it may be none."""
        try:
            self.socket.send(frame, zmq.DONTWAIT)
        except zmq.Again as error:
            raise NoAnswer(f"{self.endpoint} takes no more messages") from error

    def receive_raw(self, timeout: float) -> bytes:
        """The next frame, which must be the only one of its message."""
        if not self.socket.poll(max(0, int(timeout * 1_000))):
            raise NoAnswer(f"no answer from {self.endpoint} within {timeout:.3f} s")
        parts = self.socket.recv_multipart()
        if len(parts) != 1:
            raise ValueError(f"{self.endpoint} answered with {len(parts)} frames")
        return bytes(parts[0])

    def answer(self, id: int, timeout: float) -> Message:
        """The answer to the request `id`, be it an ERROR; others are kept for later."""
        deadline = time.monotonic() + timeout
        while id not in self._early:
            left = deadline - time.monotonic()
            decoded = message.decode(self.receive_raw(max(0.0, left)))
            self._early[decoded.request_id] = decoded
        return self._early.pop(id)

    def request(
        self, type: Type, body: Any, fields: Optional[Fields] = None, timeout: float = 5.0
    ) -> Message:
        """Sends a request and waits for its answer; an ERROR is raised."""
        return raised(self.answer(self.send(type, body, fields), timeout))

    def close(self) -> None:
        """Closes the socket."""
        self.socket.close()


def raised(answer: Message) -> Message:
    """The answer, unless it is an ERROR."""
    if answer.type == Type.ERROR:
        raise ServerError(answer.body, answer.fields.retry_after)
    return answer


class Answer:
    """One result together with the proof it came with."""

    def __init__(self, result: data.Result, proof: data.Proof) -> None:
        self.result = result
        self.proof = proof
        self.status = result.status
        self.value = result.value

    @property
    def cause(self) -> int:
        """The cause of a REFUSED, else 0."""
        return self.result.detail if self.status == data.Status.REFUSED else 0

    def __str__(self) -> str:
        known = self.status in set(data.Status)
        name = data.Status(self.status).name if known else f"status {self.status}"
        detail = f", detail {self.result.detail}" if self.result.detail else ""
        text = f", {self.result.message}" if self.result.message else ""
        return f"{name} (flags {self.result.flags}{detail}{text})"


class Live:
    """A SUB on the live channel of the publisher."""

    def __init__(self, context: zmq.Context, endpoint: str,
                 keys: Optional[KeyPair] = None) -> None:
        self.endpoint = endpoint
        self.socket = context.socket(zmq.SUB)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.setsockopt(zmq.MAXMSGSIZE, limits.FRAME_BYTES)
        self.socket.setsockopt(zmq.SUBSCRIBE, TOPIC_RECORDS)
        self.socket.setsockopt(zmq.SUBSCRIBE, TOPIC_HEARTBEAT)
        key_pair.connect(self.socket, endpoint, keys)

    def next(self, timeout: float) -> Message:
        """The next RECORDS or HEARTBEAT."""
        if not self.socket.poll(max(0, int(timeout * 1_000))):
            raise NoAnswer(f"nothing is heard on {self.endpoint} within {timeout:.3f} s")
        parts = self.socket.recv_multipart()
        if len(parts) != 1:
            raise ValueError(f"the live channel sent {len(parts)} frames")
        decoded = message.decode(bytes(parts[0]))
        if decoded.request_id:
            raise ValueError("a request id on the live channel")
        return decoded

    def close(self) -> None:
        """Closes the socket."""
        self.socket.close()


class MartletClient:
    """A client of a whole cluster, given any of its endpoints, and a key of its own where they
    name theirs."""

    def __init__(self, endpoint: str, timeout: float = 5.0,
                 keys: Optional[KeyPair] = None) -> None:
        self.context = zmq.Context()
        self.keys = keys
        self.timeout = timeout
        self._connections: Dict[str, Connection] = {}
        self.seed = endpoint
        try:
            self.topology: admin.TopologyReport = self.fetch_topology(endpoint)
        except BaseException:
            self.close()
            raise
        self.near = self.topology.nodes[0].id if self.topology.nodes else ""

    def close(self) -> None:
        """Closes all sockets."""
        self.context.destroy(linger=0)

    def __enter__(self) -> "MartletClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Connections and routing

    def connection(self, endpoint: str) -> Connection:
        """The connection to an endpoint, made when it is first asked for."""
        if endpoint not in self._connections:
            self._connections[endpoint] = self.fresh_connection(endpoint)
        return self._connections[endpoint]

    def fresh_connection(self, endpoint: str) -> Connection:
        """Another connection to an endpoint, which the caller closes."""
        return Connection(self.context, endpoint, self.keys)

    @property
    def publisher(self) -> Connection:
        """The connection to the publisher's control and admin endpoint."""
        return self.connection(self.topology.control)

    @property
    def replicated(self) -> bool:
        """Whether every node may hold every key."""
        return self.topology.kind == admin.REPLICATED

    @property
    def endpoints(self) -> List[str]:
        """The endpoints of all shards, in the topology's order."""
        return [each for node in self.topology.nodes for each in node.endpoints]

    def fetch_topology(self, endpoint: str) -> admin.TopologyReport:
        """The topology as an endpoint tells it."""
        report = self.ask(endpoint, Type.TOPOLOGY, admin.Empty(), Type.TOPOLOGY_REPORT)
        assert isinstance(report, admin.TopologyReport)
        return report

    def owner(self, key: bytes, namespace: str = "default", node: Optional[str] = None) -> str:
        """The endpoint of the shard that a key is asked of; `node` chooses a replica."""
        nodes = self.topology.nodes
        if self.replicated or node is not None:
            nodes = [each for each in nodes if each.id == (node or self.near)]
        table = self.topology.slots
        if table is not None and node is None:
            found = table.owner(key)
            for each in nodes if found else []:
                if each.id == found[0]:
                    return each.endpoints[found[1]]
            raise ValueError(f"no node owns slot {slots.slot(key)}")
        listed = [(each.id, len(each.endpoints), each.weight) for each in nodes]
        index, shard = routing.owner(listed, namespace, key)
        return nodes[index].endpoints[shard]

    def ask(self, endpoint: str, type: Type, body: Any, wanted: Type,
            fields: Optional[Fields] = None) -> Any:
        """The body of the answer to one request, which must be of the wanted type."""
        timeout = self.timeout
        if fields is not None and fields.deadline is not None:
            timeout = max(timeout, fields.deadline / 1_000 + 2)
        answer = self.connection(endpoint).request(type, body, fields, timeout)
        if answer.type != wanted:
            raise ValueError(f"{type.name} was answered with {answer.type.name}")
        return answer.body

    # Data

    def operate(
        self, type: Type, operations: Sequence[Any], namespace: str = "default",
        node: Optional[str] = None, fields: Optional[Fields] = None,
    ) -> List[Answer]:
        """Sends operations to the owners of their keys, one message each, all at once."""
        bodies = {Type.GET: data.Get, Type.SET: data.SetBody, Type.DELETE: data.Delete,
                  Type.TOUCH: data.Touch}
        groups: Dict[str, List[int]] = {}
        for index, operation in enumerate(operations):
            groups.setdefault(self.owner(operation.key, namespace, node), []).append(index)
        given = fields or Fields()
        given.namespace = None if namespace == "default" else namespace
        given.topology = self.topology.version
        sent = []
        for endpoint, indices in groups.items():
            body = bodies[type]([operations[index] for index in indices])
            sent.append((endpoint, self.connection(endpoint).send(type, body, given), indices))
        answers: List[Optional[Answer]] = [None] * len(operations)
        for endpoint, id, indices in sent:
            timeout = max(self.timeout, (given.deadline or 0) / 1_000 + 2)
            answer = raised(self.connection(endpoint).answer(id, timeout))
            body = answer.body
            if answer.type != Type.RESULTS or len(body.results) != len(indices):
                raise ValueError(f"{answer.type.name} does not answer {len(indices)} operations")
            for index, result in zip(indices, body.results):
                answers[index] = Answer(result, body.proof)
        return [answer for answer in answers if answer is not None]

    def get(self, key: bytes, namespace: str = "default", options: int = 0,
            node: Optional[str] = None, fields: Optional[Fields] = None) -> Answer:
        """The answer to a GET of one key; a large value is only begun."""
        operation = data.GetOperation(key, options)
        return self.operate(Type.GET, [operation], namespace, node, fields)[0]

    def get_many(self, keys: Sequence[bytes], namespace: str = "default",
                 node: Optional[str] = None) -> List[Answer]:
        """The answers for many keys; those deferred are asked for again."""
        answers: List[Optional[Answer]] = [None] * len(keys)
        open = list(range(len(keys)))
        while open:
            operations = [data.GetOperation(keys[index]) for index in open]
            got = self.operate(Type.GET, operations, namespace, node)
            for index, answer in zip(open, got):
                answers[index] = answer
            left = [index for index, answer in zip(open, got)
                    if answer.status == data.Status.DEFERRED]
            if len(left) == len(open):
                raise ValueError("everything was deferred")
            open = left
        return [answer for answer in answers if answer is not None]

    def get_large(self, key: bytes, namespace: str = "default",
                  node: Optional[str] = None) -> bytes:
        """The whole of a value, of any size, fetched by ranges where needed."""
        first = self.get(key, namespace, node=node)
        if first.status != data.Status.HIT:
            raise ValueError(f"{first} instead of a HIT")
        whole = first.result.whole
        if whole is None:
            return first.value
        value = first.value
        while len(value) < whole.total:
            part = self.get_range(key, whole.identity, len(value),
                                  min(limits.PART_BYTES, whole.total - len(value)),
                                  namespace, node)
            if part.status != data.Status.HIT or not part.value:
                raise ValueError(f"{part} instead of the bytes from {len(value)}")
            value += part.value
        return value

    def get_range(self, key: bytes, identity: int, offset: int, length: int,
                  namespace: str = "default", node: Optional[str] = None) -> Answer:
        """A part of a large value."""
        part = data.Range(U64(identity), offset, length)
        operation = data.GetOperation(key, data.RANGE, part)
        return self.operate(Type.GET, [operation], namespace, node)[0]

    def set(
        self, key: bytes, value: bytes, namespace: str = "default",
        node: Optional[str] = None, fields: Optional[Fields] = None, **extra: Any,
    ) -> Answer:
        """The answer to a SET; `extra` are members of `SetOperation`."""
        operation = data.SetOperation(key, value, **extra)
        return self.operate(Type.SET, [operation], namespace, node, fields)[0]

    def set_everywhere(self, key: bytes, value: bytes, namespace: str = "default",
                       **extra: Any) -> List[Answer]:
        """Stores on the owner, and in a replicated topology on every node (5.2)."""
        first = self.set(key, value, namespace, **extra)
        answers = [first]
        if not self.replicated or first.status != data.Status.STORED:
            return answers
        if first.result.token is None:
            raise ValueError("a replicated store without a token in its answer")
        token = data.Token.decode(first.result.token)
        again = dict(extra, token=first.result.token)
        for node in self.topology.nodes:
            if node.id != self.near:
                at_least = Fields(at_least=Position(token.epoch, token.sequence), deadline=3_000)
                answers.append(self.set(key, value, namespace, node.id, at_least, **again))
        return answers

    def upload(self, key: bytes, value: bytes, namespace: str = "default",
               node: Optional[str] = None) -> data.Upload:
        """Sends a large value ahead to the owner of its key."""
        id = U64(int.from_bytes(os.urandom(8), "little") | 1)
        endpoint = self.owner(key, namespace, node)
        fields = Fields(namespace=None if namespace == "default" else namespace)
        for offset in range(0, len(value), limits.PART_BYTES):
            part = value[offset : offset + limits.PART_BYTES]
            chunk = data.Chunk(id, len(value), offset, part)
            body = self.ask(endpoint, Type.CHUNK, chunk, Type.RESULTS, fields)
            answer = Answer(body.results[0], body.proof)
            if answer.status != data.Status.RECEIVED:
                raise ValueError(f"the chunk at {offset} was answered with {answer}")
        return data.Upload(id, len(value))

    def set_large(self, key: bytes, value: bytes, namespace: str = "default",
                  node: Optional[str] = None, **extra: Any) -> Answer:
        """Stores a value of any size on the owner of its key."""
        if len(value) <= limits.PART_BYTES:
            return self.set(key, value, namespace, node, **extra)
        upload = self.upload(key, value, namespace, node)
        return self.set(key, b"", namespace, node, upload=upload, **extra)

    def delete(self, keys: Sequence[bytes], namespace: str = "default") -> List[Answer]:
        """The answers to a DELETE."""
        operations = [data.DeleteOperation(key) for key in keys]
        return self.operate(Type.DELETE, operations, namespace)

    def touch(self, key: bytes, ttl: int, namespace: str = "default") -> Answer:
        """The answer to a TOUCH."""
        operation = data.TouchOperation(key, U64(ttl))
        return self.operate(Type.TOUCH, [operation], namespace)[0]

    # Admin

    def invalidate(
        self, scopes: Sequence[Scope], wait: int = admin.WAIT_ALL, timeout_ms: int = 5_000,
        operation: Optional[bytes] = None, strength: int = admin.HARD,
        issuer: Optional[str] = None,
    ) -> admin.Receipt:
        """The receipt of an invalidation."""
        body = admin.Invalidate(wait, strength, timeout_ms, list(scopes))
        fields = Fields(operation=operation, deadline=timeout_ms, issuer=issuer)
        receipt = self.ask(self.topology.control, Type.INVALIDATE, body, Type.RECEIPT, fields)
        assert isinstance(receipt, admin.Receipt)
        return receipt

    def status(self, endpoint: Optional[str] = None) -> admin.StatusReport:
        """The status of the publisher, or of the shard at an endpoint."""
        at = endpoint or self.topology.control
        report = self.ask(at, Type.STATUS, admin.Empty(), Type.STATUS_REPORT)
        assert isinstance(report, admin.StatusReport)
        return report

    def config(self, endpoint: Optional[str] = None) -> admin.ConfigReport:
        """The configuration as the publisher, or the shard at an endpoint, tells it."""
        at = endpoint or self.topology.control
        report = self.ask(at, Type.CONFIG, admin.Empty(), Type.CONFIG_REPORT)
        assert isinstance(report, admin.ConfigReport)
        return report

    def scan_pages(
        self, endpoint: str, namespace: str, kind: int = Kind.namespace, name: bytes = b"",
        limit: int = limits.SCAN_KEYS, options: int = 0,
    ) -> Iterator[admin.ScanPage]:
        """The pages of a scan of one shard, from the first to the last."""
        cursor = U64(0)
        fields = Fields(namespace=namespace)
        while True:
            body = admin.Scan(cursor, limit, kind, options, name)
            page = self.ask(endpoint, Type.SCAN, body, Type.SCAN_PAGE, fields)
            yield page
            cursor = page.next_cursor
            if not cursor:
                return

    def scan(self, namespace: str, kind: int = Kind.namespace, name: bytes = b"",
             limit: int = limits.SCAN_KEYS) -> List[Tuple[str, bytes]]:
        """The endpoint and key of everything that a scan of all shards finds."""
        return [
            (endpoint, listed.key)
            for endpoint in self.endpoints
            for page in self.scan_pages(endpoint, namespace, kind, name, limit)
            for listed in page.keys
        ]

    def count(self, scopes: Sequence[Scope]) -> admin.Counted:
        """What all shards together have of the scopes, by their counters."""
        answers = [self.ask(endpoint, Type.COUNT, admin.Count(list(scopes)), Type.COUNTED)
                   for endpoint in self.endpoints]
        return admin.Counted(
            U64(sum(each.entries for each in answers)), U64(sum(each.bytes for each in answers)),
            max(each.options for each in answers))

    def explain(self, key: bytes, namespace: str) -> explaining.Explanation:
        """What the owner of a key knows of it."""
        return self.ask(self.owner(key, namespace), Type.EXPLAIN, explaining.Explain(key),
                        Type.EXPLANATION, Fields(namespace=namespace))

    def receipt(self, epoch: int, sequence: int, wait: int = admin.WAIT_ALL,
                timeout: int = 5_000) -> Message:
        """The publisher's answer to AWAIT, with its fields."""
        body = admin.Await(wait, timeout, epoch, U64(sequence))
        return self.publisher.request(Type.AWAIT, body, timeout=self.timeout + timeout / 1_000)

    def drain(self, endpoint: str, node: str) -> leaving.Done:
        """The answer of the shard at an endpoint to the order that its node leaves."""
        return self.ask(endpoint, Type.DRAIN, leaving.NodeOrder(node), Type.DONE)

    def forget(self, node: str) -> leaving.Done:
        """The publisher's answer to the order that it forgets a node."""
        return self.ask(self.topology.control, Type.FORGET, leaving.NodeOrder(node), Type.DONE)

    def pace(self, order: pacing.Pace) -> List[pacing.Pacing]:
        """The publisher's answer to an order about invalidations that take their time."""
        fields = Fields(operation=os.urandom(16)) if order.order == pacing.BEGIN else Fields()
        return self.ask(
            self.topology.control, Type.PACE, order, Type.PACING_REPORT, fields).pacings

    # Control and live

    def resume(self, mark: control.Mark, log_id: int = 0, limit: int = limits.RESUME_RECORDS
               ) -> Message:
        """What the publisher answers an observer who resumes from a mark."""
        body = control.Resume(U64(0), U64(log_id), mark, limit)
        return self.publisher.request(Type.RESUME, body, timeout=self.timeout)

    def follow(self, follow: following.Follow) -> following.Followed:
        """What the publisher shows of its log, which it may wait for."""
        answer = self.publisher.request(
            Type.FOLLOW, follow, timeout=self.timeout + follow.hold / 1_000)
        if answer.type != Type.FOLLOWED:
            raise ValueError(f"{answer.type.name} instead of FOLLOWED")
        assert isinstance(answer.body, following.Followed)
        return answer.body

    def live(self) -> Live:
        """A subscription to the live channel, which the caller closes."""
        return Live(self.context, self.topology.live, self.keys)
