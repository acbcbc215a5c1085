"""How reads fare while there is no publisher: outage.py MARTLET [--seconds 60]

A cluster is filled, its publisher is killed, and four readers go on for that long; then it is
started again. Prints what each namespace answered, and when all was well again. The last line is
`N passed, N failed`: namespaces in which every read was answered as its policy says.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Dict, List

from clock import Clock
from faults import LEASE, NODES, POLICIES, Watch
from processes import Cluster, wait_until
from workers import ALL, NoAnswer, Status, tags_of

from martlet_client import MartletClient, ServerError
from martlet_protocol import data

MEANT = {"serve": {Status.HIT, Status.STALE}, "revalidate": {Status.HIT, Status.MISS}}
"""What a policy may answer for a key that is there; `refuse` is refusing, which is not counted."""


class Asker(threading.Thread):
    """Reads one namespace until it is told to stop, and counts the answers."""

    def __init__(self, space: str, endpoint: str) -> None:
        super().__init__(daemon=True)
        self.space = space
        self.client = MartletClient(endpoint, timeout=1.0)
        self.stopping = threading.Event()
        self.seen: Counter = Counter()

    def run(self) -> None:
        """Key after key."""
        while not self.stopping.is_set():
            for key in ALL:
                try:
                    answer = self.client.get(key, self.space, data.TOKEN)
                    self.seen[Status(answer.status)] += 1
                except (NoAnswer, ServerError) as error:
                    self.seen[str(error)[:60]] += 1
                self.stopping.wait(0.002)
        self.client.close()


def fill(client: MartletClient) -> None:
    """Every key in every namespace, stored under a token."""
    for space in POLICIES:
        for key, number in ALL.items():
            miss = client.get(key, space, data.TOKEN)
            stored = client.set(key, b"value", space, token=miss.result.token,
                                tags=tags_of(number))
            assert stored.status == Status.STORED, f"{space}/{key!r}: {stored}"


def outage(program: str, seconds: float, directory: Path) -> Dict[str, Counter]:
    """What each namespace answered meanwhile."""
    clock = Clock(directory)
    clock.is_there = False
    cluster = Cluster((program, program), directory, "sharded", NODES, LEASE, POLICIES, clock)
    try:
        cluster.start()
        watch = Watch(cluster)
        wait_until("every node is LIVE", 30, watch.is_well)
        with MartletClient(cluster.admin, timeout=3.0) as client:
            fill(client)
        askers: List[Asker] = [Asker(space, cluster.admin) for space in POLICIES]
        cluster.publisher.kill()
        for asker in askers:
            asker.start()
        time.sleep(seconds)
        for asker in askers:
            asker.stopping.set()
            asker.join(10)
        cluster.publisher.start()
        took = wait_until("every node is LIVE again", 30, watch.is_well)
        print(f"well again {took:.2f} s after the publisher was started")
        watch.close()
        return {asker.space: asker.seen for asker in askers}
    finally:
        cluster.close()


def main() -> int:
    """0 if every read was answered as its policy says."""
    parser = argparse.ArgumentParser(description="How reads fare while there is no publisher.")
    parser.add_argument("program", help="the martlet binary, built for release")
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="martlet-outage-") as directory:
        answered = outage(options.program, options.seconds, Path(directory))
    for space, seen in answered.items():
        total = sum(seen.values())
        told = ", ".join(f"{count} {getattr(what, 'name', what)}"
                         for what, count in seen.most_common())
        meant = MEANT.get(POLICIES[space])
        if meant is None:
            print(f"{space}: {POLICIES[space]}: {told}")
            continue
        good = sum(count for what, count in seen.items() if what in meant)
        is_right = total > 0 and good == total
        passed, failed = passed + is_right, failed + (not is_right)
        print(f"{'ok' if is_right else 'not ok'} {space}: {POLICIES[space]}: "
              f"{good / max(1, total):.2%} of {total} reads: {told}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
