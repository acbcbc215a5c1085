"""Clients under fire: each a thread with a connection of its own, doing one kind of thing."""

from __future__ import annotations

import os
import random
import sys
import threading
import time
from pathlib import Path
from typing import Callable, Dict, List, Optional, Tuple

import zmq

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Conformance"))

from history import History  # noqa: E402
from martlet_client import Answer, MartletClient, NoAnswer, ServerError  # noqa: E402
from martlet_protocol import admin, data, pacing  # noqa: E402
from martlet_protocol.admin import Kind, Scope  # noqa: E402
from martlet_protocol.data import Status  # noqa: E402
from martlet_protocol.errors import ProtocolError  # noqa: E402
from martlet_protocol.fields import Fields, Position  # noqa: E402
from martlet_protocol.header import Type  # noqa: E402
from martlet_protocol.reading import U64  # noqa: E402
from truth import Key, Place, Truth  # noqa: E402

KEYS = 12
TAGS = 4
PREFIXES = (b"a/", b"b/", b"c/")
BLIND = "serve"
"""Where blind stores happen; the others hold fenced values only."""


def key_name(number: int) -> bytes:
    """A key; its prefix and its tags follow from the number."""
    return PREFIXES[number % len(PREFIXES)] + b"key%02d" % number


def tags_of(number: int) -> List[bytes]:
    """The tags of a key."""
    return [b"tag%d" % (number % TAGS), b"odd" if number % 2 else b"even"]


ALL: Dict[bytes, int] = {key_name(number): number for number in range(KEYS)}


class Worker(threading.Thread):
    """Does its one thing again and again until it is told to stop."""

    def __init__(self, name: str, seed: int, admin_endpoint: str, truth: Truth,
                 history: History) -> None:
        super().__init__(name=name, daemon=True)
        self.random = random.Random(seed)
        self.admin_endpoint, self.truth, self.history = admin_endpoint, truth, history
        self.spaces = sorted(truth.policies)
        self.stopping = threading.Event()
        self.client: Optional[MartletClient] = None

    def run(self) -> None:
        """The thread's life."""
        while not self.stopping.is_set():
            try:
                if self.client is None:
                    self.client = self.connect()
                self.turn(self.client)
            except (NoAnswer, ServerError) as error:
                self.truth.count(unanswered=1)
                self.renew(error)
            except zmq.ZMQError as error:
                self.renew(error)
            except (ProtocolError, ValueError) as error:
                self.truth.note("readable answers", f"{self.name}: {error!r}")
            self.stopping.wait(self.random.uniform(0, 0.004))
        if self.client is not None:
            self.client.close()

    def connect(self) -> MartletClient:
        """A client of the cluster."""
        return MartletClient(self.admin_endpoint, timeout=0.4)

    def renew(self, why: Exception) -> None:
        """Goes on with new connections, now and then: old ones may be half-open."""
        self.history.add(self.name, "no answer", str(why)[:120])
        if self.client is not None and self.random.random() < 0.3:
            self.client.close()
            self.client = None

    def turn(self, client: MartletClient) -> None:
        """One thing."""
        raise NotImplementedError

    def key(self) -> Key:
        """Any key anywhere."""
        return self.random.choice(self.spaces), key_name(self.random.randrange(KEYS))

    def noise(self) -> bytes:
        """What ends a value: never twice the same, and of some length."""
        length = 12 + self.random.randint(self.truth.padding // 2, self.truth.padding)
        return os.urandom(6).hex().encode().ljust(length, b".")


class Reader(Worker):
    """Gets in every way there is, and loads what it may."""

    def turn(self, client: MartletClient) -> None:
        space, key = self.key()
        options = self.random.choice((0, data.TOKEN, data.TOKEN, data.TOKEN, data.ALLOW_STALE))
        fields = Fields()
        kind = self.random.random()
        if kind < 0.15:
            fields = Fields(fresh=True, deadline=200)
        elif kind < 0.3:
            fields = Fields(at_least=Position(*self.truth.newest), deadline=200)
        self.ask(client, (space, key), options, fields)

    def tags(self, name: bytes) -> List[bytes]:
        """What a load stores a key with."""
        return tags_of(ALL[name])

    def ask(self, client: MartletClient, wanted_key: Key, options: int, fields: Fields) -> None:
        """Gets, judges, and loads what may be loaded."""
        space, key = wanted_key
        wanted: Place = (0, 0)
        if fields.at_least is not None:
            wanted = (fields.at_least.epoch, int(fields.at_least.sequence))
        node = None
        if client.replicated:
            node = self.random.choice(client.topology.nodes).id
        sent = time.monotonic()
        answer = client.get(key, space, options, node, fields)
        shown = (answer.proof.epoch, int(answer.proof.sequence))
        self.history.add(
            self.name, "get", space, key, options, fields.fresh, wanted, node, sent,
            Status(answer.status).name, answer.result.flags, answer.value[:80], shown)
        if answer.status in (Status.HIT, Status.STALE):
            self.truth.count_outlived(answer.value, client.owner(key, space, node),
                                      answer.status == Status.HIT)
        self.look(answer, (space, key), options, sent, fields.fresh, shown, wanted)
        if answer.result.token is not None and answer.status in (Status.MISS, Status.STALE):
            self.load(client, (space, key), answer.result.token, node)

    def look(self, answer: Answer, key: Key, options: int, sent: float, strong: bool,
             shown: Place, wanted: Place) -> None:
        """Judges an answer."""
        who = f"{self.name}'s get"
        if answer.status == Status.MISS:
            return self.truth.count(missed=1)
        if answer.status in (Status.BEHIND, Status.BUSY, Status.DEFERRED):
            return self.truth.count(behind=1)
        fresh = answer.status == Status.HIT
        if not fresh and answer.status != Status.STALE:
            return self.truth.note("answers", f"{who} of {key} was answered with {answer}")
        if not fresh and strong:
            self.truth.note("strong", f"{who} of {key} asked for fresh and got {answer}")
        if fresh and shown < wanted:
            self.truth.note("4: at least", f"{who} of {key} asked for {wanted}, got {shown}")
        policy = self.truth.policies.get(key[0], "serve")
        if not fresh and policy != "serve" and not options & data.ALLOW_STALE:
            self.truth.note("policy", f"{who} of {key} may not be stale where suspect: {policy}")
        flags = answer.result.flags
        self.truth.judge(
            key, answer.value, fresh, bool(flags & data.UNFENCED),
            bool(flags & (data.SUSPECT | data.SOFT)), sent, strong, shown, who)

    def load(self, client: MartletClient, key: Key, token: bytes, node: Optional[str]) -> None:
        """Reads the origin, takes its time, and stores under the token."""
        space, name = key
        version = self.truth.read(key)
        if self.random.random() < 0.5:
            time.sleep(self.random.uniform(0, 0.03))
        value = b"%s %s %d %s" % (space.encode(), name, version, self.noise())
        answer = client.set(name, value, space, node, token=token, tags=self.tags(name))
        stored = answer.status == Status.STORED
        if stored:
            self.truth.was_stored(value)
        self.history.add(self.name, "load", space, name, version, node, str(answer))
        self.truth.count(stores=int(stored), fenced_off=int(not stored))


class BlindWriter(Worker):
    """Stores what nobody vouches for, which every answer has to say."""

    def turn(self, client: MartletClient) -> None:
        name = key_name(self.random.randrange(KEYS))
        value = b"%s %s blind %s" % (BLIND.encode(), name, self.noise())
        answer = client.set(name, value, BLIND, tags=tags_of(ALL[name]))
        if answer.status == Status.STORED:
            self.truth.was_stored(value)
        self.history.add(self.name, "set", BLIND, name, str(answer))
        self.stopping.wait(self.random.uniform(0, 0.2))


class Writer(Worker):
    """Changes the origin, invalidates what it changed, and notes what it was promised."""

    invents = False
    """Whether it claims to have invalidated without doing so: the judge must find that out."""
    empties = True
    """Whether it invalidates everything now and then."""

    def turn(self, client: MartletClient) -> None:
        scopes, keys = self.scope()
        wait = self.random.choice((admin.WAIT_ALL, admin.WAIT_ALL, admin.WAIT_QUORUM,
                                   admin.WAIT_NONE))
        versions = self.truth.commit(keys)
        self.history.add(self.name, "commit", scopes, {str(key): version for key, version
                                                       in versions.items()})
        # Receipts may take seconds while nodes are away, so each second one is invented.
        if self.invents and self.random.random() < 0.5:
            return self.truth.promised(
                versions, self.truth.newest, time.monotonic(), True, True)
        self.invalidate(client, scopes, wait, versions)

    def scope(self) -> Tuple[List[Scope], List[Key]]:
        """What to invalidate, and every key that it covers."""
        space = self.random.choice(self.spaces)
        number = self.random.randrange(KEYS)
        kind = self.random.random()
        if kind < 0.55:
            name = key_name(number)
            other = key_name((number + 7) % KEYS)
            if kind < 0.4:
                return [Scope(Kind.key, name, space)], [(space, name)]
            return ([Scope(Kind.key, name, space), Scope(Kind.key, other, space)],
                    [(space, name), (space, other)])
        if kind < 0.8:
            tag = self.random.choice(tags_of(number))
            return [Scope(Kind.tag, tag, space)], self.covered(
                space, lambda name: tag in tags_of(ALL[name]))
        if kind < 0.95:
            prefix = self.random.choice(PREFIXES)
            return [Scope(Kind.prefix, prefix, space)], self.covered(
                space, lambda name: name.startswith(prefix))
        if kind < 0.99 or not self.empties:
            return [Scope(Kind.namespace, b"", space)], self.covered(space, lambda _: True)
        return [Scope(Kind.everything)], [
            key for each in self.spaces for key in self.covered(each, lambda _: True)]

    def covered(self, space: str, covers: Callable[[bytes], bool]) -> List[Key]:
        """The keys of a namespace that are covered."""
        return [(space, name) for name in ALL if covers(name)]

    def invalidate(self, client: MartletClient, scopes: List[Scope], wait: int,
                   versions: Dict[Key, int]) -> None:
        """Asks until it is answered, always under one operation id, as a client should."""
        operation = os.urandom(16)
        for _ in range(4):
            try:
                receipt = client.invalidate(scopes, wait, 3_000, operation)
            except (NoAnswer, ServerError) as error:
                self.truth.count(refused=1)
                self.history.add(self.name, "refused", str(error)[:160])
                if self.stopping.wait(0.1):
                    return
                continue
            return self.noted(receipt, wait, versions)

    def noted(self, receipt: admin.Receipt, wait: int, versions: Dict[Key, int]) -> None:
        """A receipt came: from now on something is owed."""
        answered = time.monotonic()
        place = (receipt.epoch, int(receipt.sequence))
        complete = wait == admin.WAIT_ALL and bool(receipt.complete)
        applied = [node.id for node in receipt.applied]
        self.history.add(self.name, "receipt", place, wait, complete, applied,
                         [node.id for node in receipt.expired],
                         [node.id for node in receipt.pending])
        self.truth.promised(versions, place, answered, complete, complete and bool(applied))
        self.truth.count(complete=int(complete), incomplete=int(not receipt.complete))
        self.stopping.wait(self.random.uniform(0, 0.2))


class Pacer(Writer):
    """Changes the origin and has the publisher invalidate that bit by bit, whatever befalls it.

    What is owed begins with the receipt of the last slice. An order whose directory was taken away
    is unknown afterwards, and nothing is owed for it.
    """

    looks = 200
    """How often it looks for an order that is not over, every tenth of a second."""

    def turn(self, client: MartletClient) -> None:
        scopes, keys = self.scope()
        if any(scope.kind == Kind.key for scope in scopes):
            return
        versions = self.truth.commit(keys)
        order = pacing.Pace(pacing.BEGIN, 0, self.random.randrange(1_000, 3_000), U64(0), scopes)
        self.history.add(self.name, "pace", scopes, order.span)
        begun = self.ask(client, order, Fields(operation=os.urandom(16)))
        ended = self.watch(client, begun[0]) if begun else None
        if ended is None or ended.state != pacing.OVER or ended.first.epoch != ended.last.epoch:
            return
        receipt = self.receipt(client, ended.last)
        if receipt is not None:
            self.noted(receipt, admin.WAIT_ALL, versions)
            self.truth.count(paced=int(bool(receipt.complete)))

    def ask(self, client: MartletClient, order: pacing.Pace,
            fields: Optional[Fields] = None) -> List[pacing.Pacing]:
        """What the publisher tells; nothing if it does not within some attempts."""
        for _ in range(4):
            try:
                return client.ask(client.topology.control, Type.PACE, order,
                                  Type.PACING_REPORT, fields).pacings
            except (NoAnswer, ServerError) as error:
                self.history.add(self.name, "refused", str(error)[:160])
                if self.stopping.wait(0.1):
                    break
        return []

    def watch(self, client: MartletClient, begun: pacing.Pacing) -> Optional[pacing.Pacing]:
        """The order once it has ended; `None` if it is unknown or takes too long."""
        for _ in range(self.looks):
            if self.stopping.wait(0.1):
                return None
            told = self.ask(client, pacing.Pace(pacing.LIST))
            mine = [one for one in told if (one.id, one.span) == (begun.id, begun.span)]
            if told and not mine:
                return None
            if mine and mine[0].state != pacing.RUNNING:
                self.history.add(self.name, "paced", mine[0].done, str(mine[0].last))
                return mine[0]
        return None

    def receipt(self, client: MartletClient, place: Position) -> Optional[admin.Receipt]:
        """Who has obeyed the last slice."""
        for _ in range(4):
            try:
                answer = client.receipt(place.epoch, place.sequence, admin.WAIT_ALL, 3_000)
                return answer.body
            except (NoAnswer, ServerError) as error:
                self.history.add(self.name, "refused", str(error)[:160])
                if self.stopping.wait(0.1):
                    break
        return None
