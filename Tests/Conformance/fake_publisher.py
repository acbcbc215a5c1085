"""A publisher in this process that tells a node whatever records a check wants.

It serves one node: greets it, grants leases, replays and broadcasts. Its log is a list, and nothing
keeps it from holding records that no real publisher of this version would write.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Any, Deque, List, Optional

import zmq

from martlet_protocol import admin, control, data, message
from martlet_protocol.control import Mark, Record
from martlet_protocol.errors import Code
from martlet_protocol.header import Type
from martlet_protocol.message import Message
from martlet_protocol.reading import U64

LOG_ID = U64(0x5EED)
EPOCH = 1
LEASE = 2_000
HEARTBEAT = 100
CONFIGURATION = "version: 1\nnodes: [{id: n1}]\n"
"""A node that cannot read its configuration takes no lease."""


class FakePublisher:
    """The publisher's two sockets and a thread that serves them; a context manager."""

    def __init__(self, configuration: str = CONFIGURATION) -> None:
        self.configuration = configuration
        self.records: List[Record] = []
        self.endpoints: List[str] = []
        self.node = ""
        self.applied: Optional[Mark] = None
        self.state = 0
        self._news: Deque[List[Record]] = deque()
        self._ending = threading.Event()
        self._context = zmq.Context()
        self._router = self._context.socket(zmq.ROUTER)
        self._live = self._context.socket(zmq.PUB)
        self.control = f"tcp://127.0.0.1:{self._router.bind_to_random_port('tcp://127.0.0.1')}"
        self.live = f"tcp://127.0.0.1:{self._live.bind_to_random_port('tcp://127.0.0.1')}"
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> "FakePublisher":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()
        self._context.destroy(linger=0)

    @property
    def head(self) -> Mark:
        """Where the log stands; it begins at its id."""
        return self.records[-1].mark if self.records else Mark(EPOCH, U64(0), LOG_ID)

    def publish(
        self, scopes: List[admin.Scope], newer: Optional[bytes] = None, strength: int = admin.HARD,
        previous: Optional[U64] = None, is_told: bool = True,
    ) -> Record:
        """Appends a record, of a newer form if told what stands behind its envelope.

        One that is not told has to be asked for.
        """
        head = self.head
        digest = head.digest if previous is None else previous
        record = Record(EPOCH, U64(head.sequence + 1), digest, bytes(16), strength, scopes, newer)
        self.records.append(record)
        if is_told:
            self._news.append([record])
        return record

    def _serve(self) -> None:
        due = 0.0
        while not self._ending.is_set():
            if self._router.poll(10):
                peer, frame = self._router.recv_multipart()
                asked = message.decode(frame)
                reply = self._answer(asked)
                if reply is not None:
                    reply.request_id = asked.request_id
                    self._router.send_multipart([peer, message.encode(reply)])
            while self._news:
                self._tell(Type.RECORDS, control.Records(self._news.popleft()))
            if time.monotonic() >= due:
                due = time.monotonic() + HEARTBEAT / 1_000
                self._tell(Type.HEARTBEAT, control.Heartbeat(LOG_ID, self.head, 1, 1))

    def _tell(self, type: Type, body: Any) -> None:
        self._live.send(message.encode(Message(type, body)))

    def _answer(self, asked: Message) -> Optional[Message]:
        body = asked.body
        if asked.type == Type.HELLO:
            self.node, self.endpoints = body.id, body.endpoints
            return Message(Type.WELCOME, control.Welcome(
                LOG_ID, self.head, U64(1), LEASE, HEARTBEAT, 1, 1, self.live))
        if asked.type == Type.PING:
            self.applied, self.state = body.applied, body.state
            lease = LEASE if body.applied == self.head else 0
            return Message(
                Type.PONG, control.Pong(body.sent_at, LOG_ID, self.head, lease, 1, 1))
        if asked.type == Type.RESUME:
            following = [each for each in self.records if each.sequence > body.applied.sequence]
            return Message(Type.REPLAY, control.Replay(self.head, following[:body.limit]))
        if asked.type == Type.CONFIG:
            return Message(Type.CONFIG_REPORT, admin.ConfigReport(1, self.configuration))
        if asked.type == Type.TOPOLOGY:
            nodes = [admin.TopologyNode(self.node, 3, 1_000, self.endpoints)]
            return Message(Type.TOPOLOGY_REPORT, admin.TopologyReport(
                1, admin.SHARDED, self.control, self.live, nodes))
        if asked.type in (Type.ACK, Type.BYE):
            self.applied = body.applied if asked.type == Type.ACK else self.applied
            return None
        return Message(Type.ERROR, data.Error(Code.unsupported, "this publisher is made up"))
