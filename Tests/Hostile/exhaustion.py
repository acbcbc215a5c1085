"""Descriptors run out: nobody new is let in, those who are in are served, and it passes."""

from __future__ import annotations

import resource
import time
from typing import Dict, List

import allowed
import figures
from impostors import let_in_anew, refused, until_in
from martlet_client import NoAnswer, ServerError
from martlet_protocol.control import Mark
from martlet_protocol.reading import U64
from processes import wait_until
from siege import Attack, Siege
from zmtp import Wire

DESCRIPTORS = 128
"""What each process may have, everything counted."""
RESERVE = DESCRIPTORS // 8
"""What it keeps of them for lists, logs and connections of its own."""


class Shortage:
    """A process that has few descriptors, and more connections than that at all its doors."""

    def __init__(self, siege: Siege, process: str) -> None:
        self.siege, self.process = siege, process
        self.pid = siege.target.processes[process]
        self.doors = [each for each in siege.target.doors if each.process == process]
        self.most = 0
        self._wires: Dict[str, List[Wire]] = {door.endpoint: [] for door in self.doors}

    def __enter__(self) -> "Shortage":
        self._before = resource.prlimit(self.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(self.pid, resource.RLIMIT_NOFILE, (DESCRIPTORS, self._before[1]))
        return self

    def __exit__(self, *_: object) -> None:
        self.siege.end_connections()
        try:
            resource.prlimit(self.pid, resource.RLIMIT_NOFILE, self._before)
        except ProcessLookupError:
            pass

    def last(self, seconds: float) -> None:
        """Keeps it short for so long: who is cut off is replaced. Those of which the process never
        got to know are not cut off, and stay."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for door in self.doors:
                standing = [wire for wire in self._wires[door.endpoint] if not wire.is_cut()]
                for wire in set(self._wires[door.endpoint]) - set(standing):
                    wire.close()
                while len(standing) < 2 * DESCRIPTORS:
                    try:
                        standing.append(self.siege.dial(door))
                    except OSError:
                        break
                self._wires[door.endpoint] = standing
            self.most = max(self.most, figures.held(self.pid).descriptors)
            time.sleep(0.1)
        self.siege.owe(self.most >= DESCRIPTORS - RESERVE - 1,
                       f"{self.process}: {self.most} of {DESCRIPTORS}: they did not run out")

    def end(self) -> float:
        """Ends it; how long it takes until somebody new is served by everybody."""
        self.siege.end_connections()
        took = wait_until("somebody new is served", 2 * allowed.NORMAL_AGAIN,
                          lambda: bool(self.siege.target.fallen()) or _takes_new(self.siege))
        self.siege.owe(took <= allowed.NORMAL_AGAIN, f"normal again after {took:.1f} s only")
        return took


def _takes_new(siege: Siege) -> bool:
    """Whether a new client is served by everybody."""
    try:
        with siege.target.client("app", 0.5) as client:
            for place in client.endpoints:
                client.fetch_topology(place)
            live = client.live()
            live.next(0.5)
        return True
    except (NoAnswer, ServerError):
        return False


def descriptors(siege: Siege) -> None:
    """A process after the other has more connections than descriptors; then all of them end."""
    for process in ("n1", "publisher"):
        with Shortage(siege, process) as shortage:
            shortage.last(siege.size(2, 30))
            # A connection in the reserve is cut by a thread, which may come late: not each newcomer
            # is turned away at once.
            took = wait_until("a new client is not served", allowed.NORMAL_AGAIN,
                              lambda: not _takes_new(siege))
            siege.owe(took <= allowed.NORMAL_AGAIN, "new clients are served all the same")
            took = shortage.end()
            siege.tell(f"{process}: {shortage.most} descriptors of {DESCRIPTORS}; normal again "
                       f"after {took:.1f} s")


def descriptors_and_a_revocation(siege: Siege) -> None:
    """Meanwhile the list changes, and the live channel has to be opened anew."""
    keys = siege.target.enrol("following", "read")
    with until_in(siege, keys) as client:
        client.live().next(5.0)
        with Shortage(siege, "publisher") as shortage:
            shortage.last(0.5)
            siege.target.strike("following")
            shortage.last(1.5)
            is_refused = refused(lambda: client.resume(Mark(0, U64(0), U64(0))))
            shortage.end()
        siege.tell("while there were no descriptors the key's requests were "
                   f"{'refused' if is_refused else 'answered on'}")
        wait_until("it is refused", allowed.REVOKED_WITHIN,
                   lambda: refused(lambda: client.resume(Mark(0, U64(0), U64(0)))))
        siege.let_in += let_in_anew(siege, keys)


ATTACKS = [Attack("descriptors", descriptors),
           Attack("descriptors-and-a-revocation", descriptors_and_a_revocation)]
