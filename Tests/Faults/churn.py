"""Clients that have a cluster turn over what it holds: memory, connections, subscriptions."""

from __future__ import annotations

import os
from collections import deque
from typing import Deque, Optional

from workers import BlindWriter, Reader, Worker, Writer

from martlet_client import Live, MartletClient
from martlet_protocol import admin, data, limits
from martlet_protocol.admin import Kind, Scope
from martlet_protocol.data import Status
from martlet_protocol.fields import Fields
from martlet_protocol.header import Type
from martlet_protocol.reading import U64

BULK = "bulk"
"""A namespace of its own, of which no answer is owed."""
KEYS = 20_000
SIZES = (200, 2_000, 20_000, 60_000)


LOGGED = 110_000
"""More invalidations, each of another key, than a publisher keeps anything about: it remembers
65 536 operations, has 100 000 records at hand, and notes what was touched in 4 096 pages."""
IN_FLIGHT = 200


def fill_log(control: str) -> None:
    """Has a publisher hold as much as it ever will."""
    with MartletClient(control, timeout=10) as client:
        waiting: Deque[int] = deque()
        for number in range(LOGGED):
            scope = Scope(Kind.key, b"never/%d" % number, BULK)
            body = admin.Invalidate(admin.WAIT_NONE, admin.HARD, 5_000, [scope])
            fields = Fields(operation=os.urandom(16), deadline=5_000)
            waiting.append(client.publisher.send(Type.INVALIDATE, body, fields))
            if len(waiting) == IN_FLIGHT:
                client.publisher.answer(waiting.popleft(), client.timeout)
        while waiting:
            client.publisher.answer(waiting.popleft(), client.timeout)


def bulk_key(number: int) -> bytes:
    """A key of the bulk; a sixteenth of them shares its prefix."""
    return b"%x/%d" % (number % 16, number)


class Filler(Worker):
    """Stores more than fits, reads some of it, and invalidates some of it in every way."""

    stored = 0
    """Bytes, of all fillers."""

    def turn(self, client: MartletClient) -> None:
        number = self.random.randrange(KEYS)
        node: Optional[str] = None
        if client.replicated:
            node = self.random.choice(client.topology.nodes).id
        kind = self.random.random()
        if kind < 0.6:
            self.store(client, number, node)
        elif kind < 0.95:
            answer = client.get(bulk_key(number), BULK, data.ALLOW_STALE, node)
            known = answer.status in (Status.HIT, Status.STALE) and answer.result.whole is None
            if known and not answer.value.startswith(bulk_key(number) + b" "):
                self.truth.note("whole values", f"{bulk_key(number)!r} = {answer.value[:60]!r}")
        else:
            scope = self.random.choice([
                Scope(Kind.key, bulk_key(number), BULK), Scope(Kind.key, bulk_key(number), BULK),
                Scope(Kind.tag, b"bulk%d" % (number % 500), BULK)])
            strength = self.random.choice([admin.HARD, admin.SOFT])
            wait = self.random.choice([admin.WAIT_ALL, admin.WAIT_NONE])
            client.invalidate([scope], wait, 2_000, os.urandom(16), strength)

    def store(self, client: MartletClient, number: int, node: Optional[str]) -> None:
        """Stores a value of some size, with a tag, for a while."""
        value = (bulk_key(number) + b" ").ljust(self.random.choice(SIZES), b".")
        answer = client.set(bulk_key(number), value, BULK, node, tags=[b"bulk%d" % (number % 500)])
        if answer.status == Status.STORED:
            Filler.stored += len(value)


class Crowd(Filler):
    """Has little memory turn over: loads and reads so much beside what is judged that most of that
    has to come from disk. And stores enough in bulk that the disk turns over too."""

    keys = [b"crowd/%d" % number for number in range(60)]

    def turn(self, client: MartletClient) -> None:
        # Not so often that the disk lets go of what sleeps.
        if self.random.random() < 0.05:
            return super().turn(client)
        space = self.random.choice(self.spaces)
        node: Optional[str] = None
        if client.replicated:
            node = self.random.choice(client.topology.nodes).id
        gets = [data.GetOperation(key, data.TOKEN) for key in self.random.sample(self.keys, 40)]
        answers = client.operate(Type.GET, gets, space, node)
        sets = [data.SetOperation(get.key, get.key + b" " + self.noise(), token=token)
                for get, answer in zip(gets, answers)
                if (token := answer.result.token) is not None and answer.status == Status.MISS]
        for get, answer in zip(gets, answers):
            if answer.status == Status.HIT and not answer.value.startswith(get.key + b" "):
                self.truth.note("whole values", f"{get.key!r} = {answer.value[:60]!r}")
        if sets:
            client.operate(Type.SET, sets, space, node)


class Churner(Worker):
    """Comes, asks for little, and goes: in order, in the middle of a request, or of a value."""

    def turn(self, client: MartletClient) -> None:
        guest = MartletClient(self.admin_endpoint, timeout=0.4)
        try:
            self.visit(guest)
        finally:
            guest.close()
        self.stopping.wait(0.02)

    def visit(self, guest: MartletClient) -> None:
        """What it does while it is there."""
        key = bulk_key(self.random.randrange(KEYS))
        kind = self.random.random()
        if kind < 0.4:
            guest.get(key, BULK, data.TOKEN)
        elif kind < 0.6:
            body = data.Get([data.GetOperation(key, data.TOKEN)])
            guest.connection(guest.owner(key, BULK)).send(Type.GET, body)
        elif kind < 0.65:
            total = 2 * limits.PART_BYTES
            part = data.Chunk(U64(self.random.getrandbits(63) | 1), total, 0,
                              b"." * limits.PART_BYTES)
            guest.ask(guest.owner(key, BULK), Type.CHUNK, part, Type.RESULTS)
        else:
            live = Live(guest.context, guest.topology.live)
            live.next(1.0)


class SparingWriter(Writer):
    """Never empties the nodes: how much they hold when they are full is to be seen."""

    empties = False


SOAKING = [Reader, Reader, Reader, SparingWriter, SparingWriter, BlindWriter, Filler, Filler,
           Churner, Churner]
"""Who soaks a cluster."""
