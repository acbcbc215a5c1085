"""A client of a cluster with several publishers (docs/protocol.md 8.6)."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import paths  # noqa: F401
import zmq

from martlet_client import Connection, MartletClient, NoAnswer, raised
from martlet_protocol import admin, message
from martlet_protocol.fields import Fields
from martlet_protocol.header import Type
from martlet_protocol.message import Message
from martlet_protocol.reading import U64

SILENCE = 0.5
"""Seconds without an answer after which the next publisher is asked too."""
PAUSE = 0.05
"""Seconds before the next publisher is asked when one says that it does not lead."""
REPEAT = 2.0
"""Seconds after which the same publisher is asked again."""


@dataclass
class Places:
    """The endpoints that a client uses."""

    publishers: Dict[str, str]
    """From a publisher's advertised control endpoint to the one that the client connects to."""
    shards: List[str]


class LeaderClient(MartletClient):
    """Sends what is for the publisher to the one that leads, and follows it.

    The identical message, so with the same operation id, goes to the publisher that NOT LEADER
    names, and after a silence to the others too; the first answer counts.
    """

    def __init__(self, places: Places, timeout: float = 0.4) -> None:
        self.places = places
        self.ring = list(places.publishers.values())
        self.leader = random.choice(self.ring)
        super().__init__(self.leader, timeout)

    def fetch_topology(self, endpoint: str) -> admin.TopologyReport:
        """The topology as the leader tells it, or a node if no publisher leads."""
        try:
            return super().fetch_topology(endpoint)
        except NoAnswer:
            for shard in random.sample(self.places.shards, len(self.places.shards)):
                try:
                    return super().fetch_topology(shard)
                except NoAnswer:
                    continue
            raise

    def ask(self, endpoint: str, type: Type, body: Any, wanted: Type,
            fields: Optional[Fields] = None) -> Any:
        """The body of the answer of a shard, or of the leader for any other endpoint."""
        if endpoint in self.places.shards:
            return super().ask(endpoint, type, body, wanted, fields)
        timeout = self.timeout
        if fields is not None and fields.deadline is not None:
            timeout = max(timeout, fields.deadline / 1_000 + 2)
        answer = self.ask_leader(type, body, fields, timeout)
        if answer.type != wanted:
            raise ValueError(f"{type.name} was answered with {answer.type.name}")
        return answer.body

    def receipt(self, epoch: int, sequence: int, wait: int = admin.WAIT_ALL,
                timeout: int = 5_000) -> Message:
        """The leader's answer to AWAIT, with its fields."""
        body = admin.Await(wait, timeout, epoch, U64(sequence))
        return self.ask_leader(Type.AWAIT, body, None, self.timeout + timeout / 1_000)

    def ask_leader(self, type: Type, body: Any, fields: Optional[Fields],
                   timeout: float) -> Message:
        """The answer of the publisher that leads. An ERROR is raised, and NoAnswer at the end."""
        deadline = time.monotonic() + timeout
        waiting: Dict[str, Tuple[int, float]] = {}
        target, due = self.leader, 0.0
        while (now := time.monotonic()) < deadline:
            if now >= due:
                if target not in waiting or now > waiting[target][1] + REPEAT:
                    waiting[target] = self.connection(target).send(type, body, fields), now
                target, due = self.after(target), now + SILENCE
            for endpoint, answer in self._arrived(waiting, min(due, deadline) - now):
                if answer.request_id != waiting.get(endpoint, (0, 0.0))[0]:
                    continue  # The answer to an earlier request.
                if answer.type != Type.NOT_LEADER:
                    self.leader = endpoint
                    return raised(answer)
                del waiting[endpoint]
                target, due = self._next(endpoint, answer.body.control, waiting)
        raise NoAnswer(f"no publisher answered {type.name} within {timeout:.3f} s")

    def after(self, endpoint: str) -> str:
        """The next publisher in turn."""
        return self.ring[(self.ring.index(endpoint) + 1) % len(self.ring)]

    def _next(self, endpoint: str, named: str, waiting: Dict) -> Tuple[str, float]:
        """The publisher to ask after one that does not lead, and when."""
        now = time.monotonic()
        leader = self.places.publishers.get(named)
        if leader is None or leader == endpoint:
            return self.after(endpoint), now + PAUSE
        return leader, now + (SILENCE if leader in waiting else PAUSE)

    def _arrived(self, waiting: Sequence[str], seconds: float) -> Iterator[Tuple[str, Message]]:
        """What comes within that time, with the endpoint that sent it."""
        poller = zmq.Poller()
        sockets: Dict[Any, str] = {}
        for endpoint in waiting:
            socket = self.connection(endpoint).socket
            sockets[socket] = endpoint
            poller.register(socket, zmq.POLLIN)
        for socket, _ in poller.poll(max(1, int(seconds * 1_000))):
            endpoint = sockets[socket]
            yield endpoint, message.decode(self.connection(endpoint).receive_raw(0))


class DirectAsker:
    """Asks single processes past the proxy, without following anything."""

    def __init__(self, timeout: float = 0.5) -> None:
        self.timeout = timeout
        self.context = zmq.Context()
        self.connections: Dict[str, Connection] = {}

    def request(self, endpoint: str, type: Type, body: Any, timeout: float = 0.0) -> Message:
        """The answer of one process; an ERROR is raised. After NoAnswer it connects anew."""
        if endpoint not in self.connections:
            self.connections[endpoint] = Connection(self.context, endpoint)
        try:
            return self.connections[endpoint].request(type, body, None, timeout or self.timeout)
        except NoAnswer:
            self.connections.pop(endpoint).close()
            raise

    def status(self, endpoint: str) -> admin.StatusReport:
        """The status of one process."""
        return self.request(endpoint, Type.STATUS, admin.Empty()).body

    def close(self) -> None:
        """Closes all sockets."""
        self.context.destroy(linger=0)


def figure(report: admin.StatusReport, name: str) -> int:
    """The value of a figure; 0 if the report has none of that name."""
    return next((int(each.value) for each in report.figures if each.name == name), 0)
