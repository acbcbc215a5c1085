"""One who overwrites, removes and lets expire what is its own, and looks whether any of that comes
back. Nobody invalidates for it: whether an older value may be seen only the node can know."""

from __future__ import annotations

import time
from typing import Dict, Optional, Set, Tuple

import zmq

from history import History
from truth import Truth
from workers import BLIND, Status, Worker

from martlet_client import MartletClient, NoAnswer, ServerError
from martlet_protocol import data
from martlet_protocol.reading import U64

KEYS = 8
SLACK = 0.05
"""Seconds after its end in which an expired value may still be on its way."""

Site = Tuple[bytes, str]
"""A key, and the endpoint of a shard that has answered for it."""


class Overwriter(Worker):
    """The only writer of its keys; values are numbered.

    What was acknowledged by a shard is the least that this shard may show afterwards, over all its
    lives. A store that was not answered may arrive at any time, and so be seen at any time.
    """

    def __init__(self, name: str, seed: int, admin_endpoint: str, truth: Truth,
                 history: History) -> None:
        super().__init__(name, seed, admin_endpoint, truth, history)
        self.keys = [b"own/%s/%d" % (name.encode(), number) for number in range(KEYS)]
        self.newest: Dict[bytes, int] = dict.fromkeys(self.keys, 0)
        self.floors: Dict[Site, int] = {}
        self.ends: Dict[Tuple[bytes, int], float] = {}
        self.loose: Dict[bytes, Set[int]] = {key: set() for key in self.keys}

    def turn(self, client: MartletClient) -> None:
        key = self.random.choice(self.keys)
        node: Optional[str] = None
        if client.replicated:
            node = self.random.choice(client.topology.nodes).id
        kind = self.random.random()
        if kind < 0.35:
            self.store(client, key, node)
        elif kind < 0.42 and not client.replicated:
            self.remove(client, key)
        else:
            self.look(client, key, node)

    def store(self, client: MartletClient, key: bytes, node: Optional[str]) -> None:
        """A newer value, with or without an end, with or without a version."""
        number = self.newest[key] = self.newest[key] + 1
        value = b"%s %d %s" % (key, number, self.noise())
        extra: Dict[str, U64] = {}
        ttl = self.random.choice([None, None, 200, 1_000])
        if ttl is not None:
            extra["ttl"] = U64(ttl)
        if self.random.random() < 0.3:
            extra["version"] = U64(number)
        try:
            answer = client.set(key, value, BLIND, node, **extra)
        except (NoAnswer, ServerError, zmq.ZMQError):
            self.loose[key].add(number)
            raise
        self.history.add(self.name, "set", key, number, ttl, node, str(answer))
        if answer.status != Status.STORED:
            return
        self.truth.was_stored(value)
        self.truth.count(overwritten=1)
        self.floors[key, client.owner(key, BLIND, node)] = number
        if ttl is not None:
            self.ends[key, number] = time.monotonic() + ttl / 1_000 + SLACK

    def remove(self, client: MartletClient, key: bytes) -> None:
        """Nothing that was there may be seen again."""
        answer = client.delete([key], BLIND)[0]
        self.history.add(self.name, "delete", key, str(answer))
        if answer.status in (Status.REMOVED, Status.MISS):
            self.floors[key, client.owner(key, BLIND)] = self.newest[key] + 1

    def look(self, client: MartletClient, key: bytes, node: Optional[str]) -> None:
        """Judges what is there, fresh or stale."""
        sent = time.monotonic()
        answer = client.get(key, BLIND, self.random.choice((0, data.ALLOW_STALE)), node)
        self.history.add(self.name, "get", key, node, Status(answer.status).name,
                         answer.result.flags, answer.value[:40])
        if answer.status not in (Status.HIT, Status.STALE):
            return
        endpoint = client.owner(key, BLIND, node)
        self.truth.count(looked_back=1)
        self.truth.count_outlived(answer.value, endpoint, answer.status == Status.HIT)
        wrong = self.wrong(key, answer.value, endpoint, sent)
        if wrong:
            self.truth.note("nothing comes back", f"{self.name} got {answer.value[:60]!r} for "
                            f"{key!r} from {endpoint}: {wrong}")

    def wrong(self, key: bytes, value: bytes, endpoint: str, sent: float) -> Optional[str]:
        """What is wrong with an answer to a get that was sent then."""
        words = value.split(b" ")
        if len(words) != 3 or words[0] != key or not 0 < int(words[1]) <= self.newest[key]:
            return "it was never stored"
        number = int(words[1])
        if number in self.loose[key]:
            return None
        floor = self.floors.get((key, endpoint), 0)
        if number < floor:
            return f"it was overwritten or removed before {floor}"
        end = self.ends.get((key, number))
        if end is not None and sent > end:
            return f"it expired {sent - end:.3f} s before"
        return None
