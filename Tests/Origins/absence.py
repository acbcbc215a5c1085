"""The origin is away for a while, in three ways, and readers have what is stale."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from typing import Any, Dict, List, NamedTuple, Tuple

import bounds
from asking import Asked, Load, Told, get_frame
from martlet_protocol.admin import Kind, Scope
from martlet_protocol.data import Status
from processes import wait_until
from scenario import Scenario
from station import Origin, Station

KEPT, CAPPED = "kept", "capped"
KEYS = 60
"""Of each namespace."""
GONE = 6
"""How many of the kept ones are invalidated meanwhile."""
RATE = 400.0
TTL, CAP = 1.0, 2.0
SLACK = 0.3
WAYS = ("down", "silent", "broken")
"""Nobody listens; nobody answers; 500."""
CAUSES = {1: "timedOut", 2: "unreachable", 3: "unavailable", 7: "broken", 8: "overloaded"}


class Answered(NamedTuple):
    """One read and its answer."""

    key: bytes
    sent: float
    told: Told
    heard: float


def _namespaces(origin: Origin) -> Dict[str, Dict[str, Any]]:
    common: Dict[str, Any] = {"lifetime": "namespace", "timeout": "600ms", "breaker-pause": "1s"}
    return {
        KEPT: {"ttl": "1s", "origin": origin.settings(**{"stale-if-error": "10m"}, **common)},
        CAPPED: {"ttl": "1s", "origin": origin.settings(**{"stale-if-error": "2s"}, **common)},
    }


class Absence:
    """One absence of the origin under load."""

    def __init__(self, scenario: Scenario, station: Station, origin: Origin) -> None:
        self.scenario, self.station, self.origin = scenario, station, origin
        self.lock = threading.Lock()
        self.answers: List[Answered] = []
        self.keys = {space: [b"%s%03d" % (space.encode(), number) for number in range(KEYS)]
                     for space in (KEPT, CAPPED)}
        self.gone = self.keys[KEPT][:GONE]
        self.frames = {key: get_frame(key, space, deadline=5_000)
                       for space, keys in self.keys.items() for key in keys}
        with station.client() as client:
            self.owners = {key: client.owner(key, space)
                           for space, keys in self.keys.items() for key in keys}
            for space, keys in self.keys.items():
                client.get_many(keys, space)
        self.every = list(self.frames)

    def choose(self, dice: random.Random) -> Tuple[bytes, str]:
        """Any key, of its owner."""
        key = dice.choice(self.every)
        return key, self.owners[key]

    def hear(self, asked: Asked, told: Told) -> None:
        """One answer."""
        with self.lock:
            self.answers.append(Answered(asked.key, asked.sent, told, time.monotonic()))

    def run(self, seconds: float) -> None:
        """Away, and back."""
        load = Load(RATE, self.choose, self.frames.__getitem__, self.hear)
        load.start()
        time.sleep(0.7)
        self.left = time.monotonic()
        receipt = 0.0
        for way in WAYS:
            self.origin.tell(mode=way)
            if way == WAYS[0]:
                time.sleep(0.2)
                with self.station.client() as client:
                    scopes = [Scope(Kind.key, key, KEPT) for key in self.gone]
                    self.scenario.owe(client.invalidate(scopes).complete, "an incomplete receipt")
                self.hidden = time.monotonic()
            time.sleep(seconds / len(WAYS))
        self.back = time.monotonic()
        self.origin.tell(mode="ok", version=2)
        took = float("inf")
        try:
            took = wait_until("every key is loaded anew", 2 * bounds.AWAY_KEYS_BACK, self.is_well)
        except AssertionError:
            pass
        load.end()
        self.judge(took)

    def is_well(self) -> bool:
        """Whether the newest value of every key was seen fresh since the origin is back."""
        with self.lock:
            seen = {each.key for each in self.answers
                    if each.sent > self.back and each.told.status == Status.HIT
                    and each.told.value == each.key + b" 2"}
        return len(seen) == len(self.every)

    def ends(self, answers: List[Answered]) -> Dict[bytes, float]:
        """When each of these values may not be served any more, by the age it was told with."""
        ends = {each.key: self.left for each in answers}
        for each in answers:
            if each.told.has_value:
                held = each.heard - each.told.age / 1_000
                ends[each.key] = max(ends[each.key], held + TTL + CAP)
        return ends

    def judge(self, took: float) -> None:
        """What readers were answered."""
        owe = self.scenario.owe
        away = [each for each in self.answers if self.left <= each.sent < self.back]
        gone, kept = set(self.gone), set(self.keys[KEPT])
        plain = [each for each in away if each.key in kept and each.key not in gone]
        failed = [each for each in plain if not each.told.has_value]
        hidden = [each for each in away if each.key in gone and each.sent > self.hidden]
        shown = [each for each in hidden if each.told.has_value]
        causes = Counter(CAUSES.get(each.told.detail, str(each.told.detail)) for each in hidden
                         if each.told.status == Status.FAILED)
        wrong = [each for each in self.answers if each.told.has_value
                 and each.told.value not in (each.key + b" 1", each.key + b" 2")]
        capped = [each for each in away if each.key not in kept]
        ends = self.ends(capped)
        early = [each for each in capped
                 if each.heard < ends[each.key] - SLACK and not each.told.has_value]
        late = [each for each in capped if each.sent > ends[each.key] + SLACK]
        late_shown = [each for each in late if each.told.has_value]
        self.scenario.tell(
            f"away for {self.back - self.left:.0f} s ({', '.join(WAYS)}): {len(plain)} reads "
            f"within the cap, {len(failed)} failed; {len(hidden)} of what was invalidated, "
            f"{len(shown)} shown, FAILED: {dict(causes)}")
        self.scenario.tell(
            f"capped at {CAP:.0f} s: {len(capped)} reads, {len(early)} failed before, "
            f"{len(late)} after it, of which {len(late_shown)} were shown; everything fresh "
            f"{took:.2f} s after the origin was back")
        owe(not failed, f"{len(failed)} reads failed, first {failed and failed[0].told}")
        owe(hidden and not shown, f"{len(shown)} hidden values shown, "
            f"{shown and shown[0].told}")
        owe(sum(causes.values()) == len(hidden) and not set(causes) - set(CAUSES.values()),
            f"{len(hidden)} reads of what was invalidated, {dict(causes)}")
        owe(not wrong, f"a value that never was: {wrong and wrong[0]}")
        owe(not early, f"{len(early)} reads failed before the cap, {early and early[0].told}")
        owe(late and not late_shown, f"{len(late_shown)} values shown past the cap")
        owe(took <= bounds.AWAY_KEYS_BACK, f"everything fresh only {took:.1f} s after it was back")


def away(scenario: Scenario) -> None:
    """The origin is away; reads within the cap never fail."""
    with Origin(scenario.directory / "origin.log") as origin, \
            Station(scenario.program, scenario.directory, "sharded",
                    _namespaces(origin)) as station:
        Absence(scenario, station, origin).run(60.0 if scenario.is_full else 5.1)
    scenario.end()


SCENARIOS = {"origin-away": away}
