"""A herd: thousands of gets of one cold key at once, and the one load that they share."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any, Callable, Dict, List, Optional, Sequence

import bounds
from asking import Told, Volley, get_frame
from martlet_protocol.data import Status
from scenario import Scenario
from station import Origin, Station, until_asked

SPACE = "herd"
KEY = b"cold"
VALUE = b"cold 1"
PATIENCE = 20.0


def _settings(origin: Origin, **more: Any) -> Dict[str, Dict[str, Any]]:
    return {SPACE: {"ttl": "1h", "origin": origin.settings(timeout="15s", **more)}}


def _kinds(answers: Sequence[Told]) -> str:
    """What the answers are, those that are alike counted."""
    seen: Counter = Counter()
    for each in answers:
        known = each.status in set(Status)
        seen[Status(each.status).name if known else "no answer"] += 1
    return ", ".join(f"{count} {name}" for name, count in seen.most_common())


def _judge(scenario: Scenario, answers: Sequence[Told], what: str) -> None:
    wrong = [each for each in answers if each.status != Status.HIT or each.value != VALUE]
    first = f", first {wrong[0]}" if wrong else ""
    scenario.owe(not wrong, f"{len(wrong)} of {len(answers)} answers {what} are wrong{first}")


class Herd:
    """A cluster, an origin that takes its time, and a volley at one key."""

    def __init__(self, scenario: Scenario, topology: str, **settings: Any) -> None:
        self.scenario = scenario
        self.origin = Origin(scenario.directory / "origin.log")
        self.station = Station(scenario.program, scenario.directory, topology,
                               _settings(self.origin, **settings))
        self.volley: Optional[Volley] = None

    def __enter__(self) -> "Herd":
        self.origin.__enter__()
        self.station.__enter__()
        self.origin.tell(delay=bounds.HERD_ORIGIN_DELAY, forget=True)
        return self

    def __exit__(self, *_: object) -> None:
        if self.volley is not None:
            self.volley.close()
        self.station.close()
        self.origin.__exit__()

    @property
    def endpoints(self) -> List[str]:
        """Where the key is asked: of its owner, or of every node."""
        if self.station.topology == "replicated":
            return list(self.station.shards.values())
        with self.station.client() as client:
            return [client.owner(KEY, SPACE)]

    def run_at(self) -> Volley:
        """Everybody asks."""
        self.volley = Volley(self.endpoints, bounds.HERD_CONNECTIONS)
        each = bounds.HERD_GETS // bounds.HERD_CONNECTIONS
        self.volley.send(get_frame(KEY, SPACE, deadline=15_000), each)
        return self.volley


def herd(topology: str, bound: str, **settings: Any) -> Callable[[Scenario], None]:
    """10 000 gets, one load."""
    def run(scenario: Scenario) -> None:
        with Herd(scenario, topology, **settings) as herd:
            volley = herd.run_at()
            took = volley.collect(PATIENCE)
            seen = herd.origin.seen()
            answers = volley.of(herd.endpoints)
            scenario.tell(f"{volley.sent} gets: {seen['requests']} origin requests by "
                          f"{seen['nodes']}; {_kinds(answers)}; {took:.2f} s")
            most = bounds.HERD_REQUESTS[bound]
            scenario.owe(1 <= seen["requests"] <= most,
                         f"{seen['requests']} origin requests instead of {most}")
            _judge(scenario, answers, "")
            # A hit afterwards costs the origin nothing.
            with herd.station.client() as client:
                for name in herd.station.names:
                    node = name if topology == "replicated" else None
                    after = client.get(KEY, SPACE, node=node)
                    scenario.owe(after.value == VALUE, f"afterwards {name} says {after}")
            more = herd.origin.seen()["requests"] - seen["requests"]
            scenario.owe(more <= (0 if bound != "replicated" else 2),
                         f"{more} more requests for what had been loaded")
            scenario.owe(not herd.station.fallen(), f"fallen: {herd.station.fallen()}")
        scenario.end()
    return run


def herd_without_its_first(scenario: Scenario) -> None:
    """The first reader, for whom the load began, gives up and leaves at once."""
    with Herd(scenario, "replicated") as herd:
        first = Volley(herd.endpoints[:1], 1)
        first.send(get_frame(KEY, SPACE, deadline=50), 1)
        until_asked(herd.origin)
        volley = herd.run_at()
        gone = first.collect(0.5)
        told = first.of(herd.endpoints)
        first.close()
        volley.collect(PATIENCE)
        seen = herd.origin.seen()
        answers = volley.of(herd.endpoints)
        scenario.tell(f"the first gets {_kinds(told)} after {gone:.2f} s; then {volley.sent} gets:"
                      f" {seen['requests']} origin requests; {_kinds(answers)}")
        scenario.owe(seen["requests"] <= bounds.HERD_REQUESTS["replicated"],
                     f"{seen['requests']} origin requests")
        _judge(scenario, answers, "")
    scenario.end()


def herd_whose_load_is_cut(scenario: Scenario) -> None:
    """The connection on which the owner loads is cut, in the middle of its load."""
    with Herd(scenario, "replicated") as herd:
        herd.origin.tell(cut=1)
        volley = herd.run_at()
        took = volley.collect(PATIENCE)
        seen = herd.origin.seen()
        answers = volley.of(herd.endpoints)
        scenario.tell(f"{seen['requests']} origin requests by {seen['nodes']}; {_kinds(answers)}; "
                      f"{took:.2f} s")
        scenario.owe(seen["requests"] <= bounds.LOST_REQUESTS,
                     f"{seen['requests']} origin requests")
        _judge(scenario, answers, "")
    scenario.end()


def herd_without_owner(is_killed: bool) -> Callable[[Scenario], None]:
    """The node that loads is killed, or stopped, while it does."""
    def run(scenario: Scenario) -> None:
        with Herd(scenario, "replicated") as herd:
            volley = herd.run_at()
            owner = until_asked(herd.origin)["order"][0]
            time.sleep(bounds.HERD_ORIGIN_DELAY / 4)
            role = herd.station.nodes[owner]
            role.kill() if is_killed else role.pause()
            lost = [herd.station.shards[owner]]
            took = volley.collect(PATIENCE, lost)
            seen = herd.origin.seen()
            living = [each for each in herd.station.shards.values() if each not in lost]
            answers = volley.of(living)
            scenario.tell(f"{owner} is {'killed' if is_killed else 'stopped'}: {seen['requests']} "
                          f"origin requests by {seen['nodes']}; at the others "
                          f"{_kinds(answers)}; {took:.2f} s")
            most = bounds.LOST_REQUESTS if is_killed else bounds.STOPPED_REQUESTS
            scenario.owe(seen["requests"] <= most,
                         f"{seen['requests']} origin requests instead of {most}")
            _judge(scenario, answers, "at living nodes")
            if not is_killed:
                role.resume()
                volley.collect(PATIENCE)
                late = volley.of(lost)
                scenario.tell(f"{owner} goes on: {_kinds(late)}")
                _judge(scenario, late, "of the one that was stopped")
        scenario.end()
    return run


SCENARIOS = {
    "herd-replicated": herd("replicated", "replicated"),
    "herd-sharded": herd("sharded", "sharded"),
    "herd-by-node": herd("replicated", "by-node", coalesce="node"),
    "herd-without-its-first": herd_without_its_first,
    "herd-whose-load-is-cut": herd_whose_load_is_cut,
    "herd-owner-killed": herd_without_owner(True),
    "herd-owner-stopped": herd_without_owner(False),
}
