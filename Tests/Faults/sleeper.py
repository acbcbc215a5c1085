"""One who comes back to what nobody has asked for meanwhile: a disk must not have forgotten that it
was invalidated, though memory may."""

from __future__ import annotations

import heapq
import os
import time
from typing import List, Tuple

from history import History
from truth import Truth
from workers import Reader

from martlet_client import MartletClient
from martlet_protocol import admin, data
from martlet_protocol.admin import Kind, Scope
from martlet_protocol.fields import Fields

SPACE = "cold"
"""A namespace that nobody empties."""
GROUPS = 400
GROUP_KEYS = 6
SOON = (1.0, 10.0)
LATE = (130.0, 150.0)
"""Memory retires a floor between one and two minutes after it was raised."""


class Sleeper(Reader):
    """Stores groups of keys, invalidates most of them, and reads them after they have slept."""

    def __init__(self, name: str, seed: int, admin_endpoint: str, truth: Truth,
                 history: History) -> None:
        super().__init__(name, seed, admin_endpoint, truth, history)
        self.awake = list(range(GROUPS))
        self.asleep: List[Tuple[float, int]] = []

    def turn(self, client: MartletClient) -> None:
        if self.asleep and self.asleep[0][0] < time.monotonic():
            self.wake(client, self.asleep[0][1])
            _, group = heapq.heappop(self.asleep)
            self.awake.append(group)
        elif self.awake:
            self.put_to_sleep(client, self.awake.pop(0))
            self.stopping.wait(0.1)

    def names(self, group: int) -> List[bytes]:
        """The keys of a group."""
        return [b"cold/%03d/%d" % (group, number) for number in range(GROUP_KEYS)]

    def tags(self, name: bytes) -> List[bytes]:
        return [b"cold%d" % int(name.split(b"/")[1])]

    def put_to_sleep(self, client: MartletClient, group: int) -> None:
        """Loads what is not there, and invalidates all of it."""
        long = self.random.random() < 0.3
        heapq.heappush(self.asleep, (
            time.monotonic() + self.random.uniform(*(LATE if long else SOON)), group))
        names = self.names(group)
        for name in names:
            self.ask(client, (SPACE, name), data.TOKEN, Fields())
        if self.random.random() < 0.2:
            return
        scope = self.random.choice([
            Scope(Kind.tag, self.tags(names[0])[0], SPACE),
            Scope(Kind.prefix, b"cold/%03d/" % group, SPACE)])
        versions = self.truth.commit([(SPACE, name) for name in names])
        receipt = client.invalidate([scope], admin.WAIT_ALL, 3_000, os.urandom(16))
        applied, place = bool(receipt.applied), (receipt.epoch, int(receipt.sequence))
        complete = bool(receipt.complete)
        self.history.add(self.name, "asleep", group, place, complete)
        self.truth.promised(versions, place, time.monotonic(), complete, complete and applied)

    def wake(self, client: MartletClient, group: int) -> None:
        """Reads it. Nothing is loaded: what is there is what was there."""
        for name in self.names(group):
            self.ask(client, (SPACE, name), data.ALLOW_STALE, Fields())
