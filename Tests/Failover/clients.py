"""The clients of Tests/Faults, which follow the leader and remember what was acknowledged."""

from __future__ import annotations

import os
import time
from typing import Dict, List, Optional

import paths  # noqa: F401
import zmq
from leader_client import LeaderClient, Places
from ledger import Ledger
from martlet_client import MartletClient, NoAnswer, ServerError
from martlet_protocol import admin, pacing
from martlet_protocol.admin import Scope
from martlet_protocol.data import Status
from martlet_protocol.fields import Fields
from truth import Key
from ensemble import RESIDENT
from workers import BlindWriter, Pacer, Reader, Worker, Writer

GIVE_UP = 20.0
"""Seconds for which an invalidation is repeated. Publishers know operation ids for 30 s."""


LEASED = 5.0
"""Seconds within which a node of a cluster that is well has a lease again."""
BUSY_MAX = 5.0
"""Seconds for which a shard may be busy with what it hides."""


class FollowingWorker(Worker):
    """Reaches the cluster by all publishers and nodes."""

    places: Places
    ledger: Ledger

    def connect(self) -> MartletClient:
        return LeaderClient(self.places)


class FollowingReader(FollowingWorker, Reader):
    """Gets in every way there is, and loads what it may."""


class FollowingBlindWriter(FollowingWorker, BlindWriter):
    """Stores without a token."""


class LedgerWriter(FollowingWorker, Writer):
    """Invalidates until it is acknowledged or given up, always under one operation id."""

    empties = False

    def turn(self, client: MartletClient) -> None:
        if self.invents and self.random.random() < 0.2:
            self.ledger.acknowledge(os.urandom(16), self.truth.newest)
        super().turn(client)

    def invalidate(self, client: MartletClient, scopes: List[Scope], wait: int,
                   versions: Dict[Key, int]) -> None:
        operation = os.urandom(16)
        end = time.monotonic() + GIVE_UP
        while time.monotonic() < end:
            try:
                receipt = client.invalidate(scopes, wait, 3_000, operation)
            except (NoAnswer, ServerError, zmq.ZMQError) as error:
                self.truth.count(refused=1)
                self.history.add(self.name, "refused", operation.hex(), str(error)[:160])
                if self.stopping.wait(0.05):
                    return
                continue
            place = receipt.epoch, int(receipt.sequence)
            self.history.add(self.name, "done", operation.hex(), place)
            self.ledger.acknowledge(operation, place)
            return self.noted(receipt, wait, versions)
        self.history.add(self.name, "given up", operation.hex())


class LedgerPacer(FollowingWorker, Pacer):
    """Has the publisher invalidate in slices, which go on under the next leader."""

    empties = False

    def ask(self, client: MartletClient, order: pacing.Pace,
            fields: Optional[Fields] = None) -> List[pacing.Pacing]:
        told = super().ask(client, order, fields)
        if order.order == pacing.BEGIN and told and fields is not None and fields.operation:
            begun = told[0]
            self.history.add(self.name, "begun", fields.operation.hex(), begun.slices, begun.span)
            if begun.options & pacing.DURABLE:
                self.ledger.promise(fields.operation, begun.slices, begun.span / 1_000)
            else:
                self.truth.note("paced", f"{begun} would not go on under another leader")
        return told


class Residents:
    """Entries that are never invalidated: they show whether anything was hidden."""

    count = 60

    def __init__(self, places: Places) -> None:
        self.places = places
        self.client: Optional[LeaderClient] = None

    def store(self) -> None:
        """Stores all of them, once every node takes stores."""
        for number in range(self.count):
            end = time.monotonic() + BUSY_MAX
            while True:
                answer = self._client().set(self._key(number), b"value", RESIDENT)
                if answer.status != Status.BUSY or time.monotonic() > end:
                    break
                time.sleep(0.05)
            if answer.status != Status.STORED:
                raise AssertionError(f"a store while all is well was answered with {answer}")

    def hits(self) -> int:
        """How many of them are answered as fresh, at the latest when a lease that just ended is
        renewed: what was hidden does not come back."""
        end = time.monotonic() + LEASED
        while (count := self._count()) < self.count and time.monotonic() < end:
            time.sleep(0.1)
        return count

    def _count(self) -> int:
        answers = [self._client().get(self._key(number), RESIDENT) for number in range(self.count)]
        return sum(answer.status == Status.HIT for answer in answers)

    def close(self) -> None:
        """Ends its connections."""
        if self.client is not None:
            self.client.close()

    def _client(self) -> LeaderClient:
        if self.client is None:
            self.client = LeaderClient(self.places, timeout=3.0)
        return self.client

    @staticmethod
    def _key(number: int) -> bytes:
        return b"resident-%d" % number
