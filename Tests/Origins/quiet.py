"""The publisher hangs while readers go on, and the origin hardly notices."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Tuple

import bounds
from asking import Asked, Load, Told, get_frame
from martlet_protocol.data import SUSPECT, TOLERATED, Status
from scenario import Scenario
from station import Origin, Station

SPACE = "held"
LEASE = "2s"
SETTLE = 3.0
"""Leases end within this."""


@dataclass
class Size:
    """How much of everything. Every key is loaded once in each `ttl` while all is well."""

    keys: int = 200
    rate: float = 800.0
    readers: int = 1
    """Threads that share the rate."""
    ttl: int = 2
    seconds: float = 4.0
    """Before, and while the publisher is away; a multiple of the time to live."""


EVERYDAY = Size()
FULL = Size(keys=2_000, rate=5_000.0, readers=4, ttl=20, seconds=60.0)


class Quiet:
    """One absence of the publisher under load."""

    def __init__(self, scenario: Scenario, station: Station, origin: Origin, size: Size) -> None:
        self.scenario, self.station, self.origin, self.size = scenario, station, origin, size
        self.lock = threading.Lock()
        self.phase = "warm"
        self.seen: Dict[str, Counter] = {}
        self.latencies: Dict[str, List[float]] = {}
        self.wrong: List[str] = []
        self.keys = [b"key%05d" % number for number in range(size.keys)]
        self.frames = {key: get_frame(key, SPACE, deadline=5_000) for key in self.keys}
        with station.client() as client:
            self.owners = {key: client.owner(key, SPACE) for key in self.keys}
            for first in range(0, size.keys, 100):
                client.get_many(self.keys[first : first + 100], SPACE)
        self.nodes = list(station.shards.values())

    def choose(self, dice: random.Random) -> Tuple[bytes, str]:
        """Any key, of its owner; where every node may hold it, of any."""
        key = dice.choice(self.keys)
        if self.station.topology == "replicated":
            return key, dice.choice(self.nodes)
        return key, self.owners[key]

    def hear(self, asked: Asked, told: Told) -> None:
        """One answer."""
        took = time.monotonic() - asked.sent
        with self.lock:
            seen = self.seen.setdefault(self.phase, Counter())
            seen["asked"] += 1
            if told.status == Status.BUSY:
                # The lease ended while it was answered: ask again. Clients do so by themselves.
                seen["again"] += 1
            elif not told.has_value or told.value != asked.key + b" 1":
                seen["errors"] += 1
                self.wrong.append(f"{self.phase}: {told} after {took:.3f} s")
            if told.status == Status.STALE and told.flags & SUSPECT and told.flags & TOLERATED:
                seen["stale"] += 1
            elif told.status == Status.STALE:
                seen["unmarked"] += 1
            seen["fresh"] += told.status == Status.HIT and not told.flags & SUSPECT
            self.latencies.setdefault(self.phase, []).append(took)

    def spend(self, phase: str, seconds: float) -> int:
        """Lets readers go on for that long; how many requests the origin saw."""
        with self.lock:
            self.phase = phase
        self.origin.tell(forget=True)
        time.sleep(seconds)
        return int(self.origin.seen()["requests"])

    def run(self) -> None:
        """With the publisher, without it, and with it again."""
        size = self.size
        loads = [Load(size.rate / size.readers, self.choose, self.frames.__getitem__, self.hear,
                      seed=number) for number in range(size.readers)]
        for load in loads:
            load.start()
        try:
            self.spend("warm", size.ttl)
            before = self.spend("before", size.seconds)
            self.station.publisher.pause()
            self.spend("between", SETTLE)
            away = self.spend("away", size.seconds)
            self.station.publisher.resume()
            self.spend("back", SETTLE)
            self.spend("after", 1.0)
        finally:
            self.station.publisher.resume()
            for load in loads:
                load.end()
        self.judge(before, away)

    def judge(self, before: int, away: int) -> None:
        """What the origin saw, and readers were answered."""
        owe, seen = self.scenario.owe, self.seen
        for phase in ("before", "away", "after"):
            took = sorted(self.latencies[phase])
            self.scenario.tell(
                f"{phase}: {dict(seen[phase])}; p50 {took[len(took) // 2] * 1e3:.2f} ms, "
                f"p99 {took[len(took) * 99 // 100] * 1e3:.2f} ms")
        self.scenario.tell(
            f"origin requests in {self.size.seconds:.0f} s: {before} before, {away} while the "
            f"publisher was away, {away / max(1, before):.2f} x")
        errors = sum(each["errors"] for each in seen.values())
        owe(not errors, f"{errors} reads failed: {'; '.join(self.wrong[:5])}")
        again = sum(each["again"] for each in seen.values())
        owe(again <= bounds.QUIET_AGAIN, f"{again} reads were to ask again")
        owe(before, "the origin was not asked at all before")
        # A machine that is short of time asks for less before: each key once in its lifetime.
        usual = max(before, self.size.keys * self.size.seconds / self.size.ttl)
        owe(away <= bounds.QUIET_REQUESTS * usual,
            f"the origin saw {away} requests while the publisher was away, and {before} before")
        owe(not seen["away"]["fresh"], f"{seen['away']['fresh']} answers were called fresh")
        owe(not seen["away"]["unmarked"], f"{seen['away']['unmarked']} stale answers unmarked")
        owe(seen["away"]["stale"] >= 0.5 * seen["away"]["asked"],
            f"{seen['away']['stale']} of {seen['away']['asked']} came from memory")
        owe(seen["after"]["fresh"] >= 0.9 * seen["after"]["asked"],
            f"{seen['after']['fresh']} of {seen['after']['asked']} were fresh afterwards")
        owe(seen["before"]["asked"] >= 0.7 * self.size.rate * self.size.seconds,
            f"the load was {seen['before']['asked']} gets")


def quiet(topology: str) -> Callable[[Scenario], None]:
    """The publisher hangs."""
    def run(scenario: Scenario) -> None:
        size = FULL if scenario.is_full else EVERYDAY
        with Origin(scenario.directory / "origin.log") as origin:
            policy: Dict[str, Any] = {"ttl": f"{size.ttl}s", "ttl-jitter": "20%",
                                      "origin": origin.settings(lifetime="namespace")}
            with Station(scenario.program, scenario.directory, topology,
                         {SPACE: policy}, lease=LEASE) as station:
                Quiet(scenario, station, origin, size).run()
        scenario.end()
    return run


SCENARIOS = {"publisher-away-sharded": quiet("sharded")}
