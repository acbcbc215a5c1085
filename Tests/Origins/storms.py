"""Everything is purged while readers ask for much more than the origin bears."""

from __future__ import annotations

import random
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field as member
from typing import Any, Callable, Dict, List, Tuple

import bounds
from asking import Asked, Load, Told, get_frame
from martlet_protocol import admin
from martlet_protocol.admin import Kind, Scope
from martlet_protocol.data import Status
from scenario import Scenario
from station import Origin, Station

SPACE = "storm"
SLICE = 0.25
SETTLED = 1.0
"""Hits are back once they have been for so long."""
MEMORY = 1
"""The tier of a hit that cost the origin nothing."""


@dataclass
class Size:
    """How much of everything."""

    keys: int = 150
    concurrency: int = 3
    """Of each node, so that three together have what the origin bears."""
    delay: float = 0.09
    calm: float = 1.0
    """Seconds before the purge, and after everything is back."""
    configured: int = 3
    """What nodes are told that the origin bears."""

    @property
    def limit(self) -> int:
        """What the origin bears at a time."""
        return 3 * self.concurrency

    @property
    def capacity(self) -> float:
        """What the origin bears in a second."""
        return self.limit / self.delay

    @property
    def rate(self) -> float:
        """What readers ask in a second."""
        return bounds.PURGE_RATE_SHARE * self.capacity

    @property
    def ideal(self) -> float:
        """Seconds in which the origin could be asked for every key once."""
        return self.keys / self.capacity


EVERYDAY = Size()
FULL = Size(keys=2_000, delay=0.045, calm=4.0)


@dataclass
class Course:
    """What readers were answered, by when they asked."""

    slices: Dict[int, Counter] = member(default_factory=lambda: defaultdict(Counter))
    longest: float = 0.0

    def hear(self, asked: Asked, answer: Told) -> None:
        """One answer."""
        slice = self.slices[int(asked.sent / SLICE)]
        slice["asked"] += 1
        slice["no error"] += answer.has_value
        slice["hits"] += answer.status == Status.HIT and answer.detail == MEMORY
        slice[Status(answer.status).name if answer.status else "no answer"] += 1
        self.longest = max(self.longest, time.monotonic() - asked.sent)

    def since(self, first: float, last: float) -> Counter:
        """The sum of all slices that lie between."""
        total: Counter = Counter()
        for number, slice in list(self.slices.items()):
            if first <= number * SLICE and (number + 1) * SLICE <= last:
                total.update(slice)
        return total

    def share(self, what: str, first: float, last: float) -> float:
        """Which share of the gets of that time came to that."""
        total = self.since(first, last)
        return total[what] / total["asked"] if total["asked"] else 0.0

    def back(self, purged: float, until: float) -> float:
        """When hits were back for good, in seconds since the purge; infinite: never."""
        at = purged
        while at + SETTLED <= until:
            if self.share("hits", at, at + SETTLED) >= bounds.PURGE_HITS:
                return at - purged
            at += SLICE
        return float("inf")


def _namespace(origin: Origin, size: Size, is_soft: bool) -> Dict[str, Dict[str, Any]]:
    windows = {"stale-while-revalidate": "1h"} if is_soft else {}
    return {SPACE: {"ttl": "1h", "stale-window": "1h", "origin": origin.settings(
        concurrency=size.configured, **windows)}}


def storm(is_soft: bool, everyday: Size, full: Size) -> Callable[[Scenario], None]:
    """Purges everything, once, and looks how it goes on."""
    def run(scenario: Scenario) -> None:
        size = full if scenario.is_full else everyday
        with Origin(scenario.directory / "origin.log") as origin, \
                Station(scenario.program, scenario.directory, "sharded",
                        _namespace(origin, size, is_soft)) as station:
            Storm(scenario, station, origin, size).run(is_soft)
        scenario.end()
    return run


class Storm:
    """One purge under load."""

    def __init__(self, scenario: Scenario, station: Station, origin: Origin, size: Size) -> None:
        self.scenario, self.station, self.origin, self.size = scenario, station, origin, size
        self.course = Course()
        self.keys = [b"key%05d" % number for number in range(size.keys)]
        self.frames = {key: get_frame(key, SPACE, deadline=6_000) for key in self.keys}
        with station.client() as client:
            self.owners = {key: client.owner(key, SPACE) for key in self.keys}
            client.get_many(self.keys, SPACE)

    def choose(self, dice: random.Random) -> Tuple[bytes, str]:
        """Any key, of its owner."""
        key = dice.choice(self.keys)
        return key, self.owners[key]

    def run(self, is_soft: bool) -> None:
        """Calm, the purge, and what comes after."""
        size = self.size
        self.origin.tell(delay=size.delay, limit=size.limit, forget=True)
        load = Load(size.rate, self.choose, self.frames.__getitem__, self.course.hear)
        load.start()
        began = time.monotonic()
        time.sleep(size.calm + SLICE)
        with self.station.client() as client:
            strength = admin.SOFT if is_soft else admin.HARD
            purged = time.monotonic()
            receipt = client.invalidate([Scope(Kind.everything)], strength=strength)
        self.scenario.owe(receipt.complete, f"the receipt is {receipt}")
        # The origin's work is bounded, so waiting for it is.
        latest = purged + bounds.PURGE_BACK * size.ideal + 2 * SETTLED
        while time.monotonic() < latest:
            time.sleep(SLICE)
            if self.course.back(purged, time.monotonic()) < float("inf"):
                break
        time.sleep(size.calm)
        ended = time.monotonic()
        load.end()
        self.judge(is_soft, began, purged, ended)

    def judge(self, is_soft: bool, began: float, purged: float, ended: float) -> None:
        """What it came to."""
        size, course, owe = self.size, self.course, self.scenario.owe
        seen = self.origin.seen()
        before = course.since(began + SLICE, purged)
        during = course.since(purged - SLICE, ended)
        back = course.back(purged, ended)
        after = course.since(ended - size.calm, ended)
        self.tell(seen, before, during, after, back)
        owe(before["hits"] >= bounds.PURGE_HITS * before["asked"], "no peak load before the purge")
        owe(before["asked"] >= 0.9 * size.rate * (purged - began - 3 * SLICE),
            f"the load was {before['asked']} gets before the purge, not {size.rate:.0f} a second")
        if size.configured == size.concurrency:
            owe(seen["most"] <= size.limit and not seen["refused"],
                f"the origin saw {seen['most']} at a time, and bears {size.limit}")
            most = bounds.PURGE_REQUESTS * size.keys
            owe(seen["requests"] <= most, f"{seen['requests']} requests for {size.keys} keys")
        if is_soft:
            lost = during["asked"] - during["no error"]
            owe(not lost, f"{lost} of {during['asked']} readers got an error")
        owe(back <= bounds.PURGE_BACK * size.ideal,
            f"hits were back after {back:.1f} s, and the origin needs {size.ideal:.1f} s")
        owe(after["hits"] >= bounds.PURGE_HITS * after["asked"], f"in the end {dict(after)}")

    def tell(self, seen: Dict[str, Any], before: Counter, during: Counter, after: Counter,
             back: float) -> None:
        """Figures."""
        size = self.size
        kinds = ", ".join(f"{during[name]} {name}" for name in
                          [*(each.name for each in Status), "no answer"] if during[name])
        self.scenario.tell(
            f"{size.rate:.0f} gets a second of {size.keys} keys, the origin bears "
            f"{size.capacity:.0f} a second, {size.limit} at a time")
        self.scenario.tell(
            f"hits before {before['hits'] / max(1, before['asked']):.4f}, back after {back:.2f} s "
            f"(the origin needs {size.ideal:.2f} s for every key once), in the end "
            f"{after['hits'] / max(1, after['asked']):.4f}; longest answer "
            f"{self.course.longest:.2f} s")
        self.scenario.tell(
            f"after the purge: {kinds}; the origin: {seen['requests']} requests, at most "
            f"{seen['most']} at a time, {seen['worked']} with those given up, {seen['refused']} "
            "refused")


SCENARIOS = {
    "purge-soft": storm(True, EVERYDAY, FULL),
    "purge-hard": storm(False, EVERYDAY, FULL),
}
LONG = {
    # Nodes that were told too much: the origin refuses, and they find out.
    "purge-unlimited": storm(
        False, Size(configured=64), Size(keys=1_000, delay=0.045, calm=4.0, configured=64)),
}
