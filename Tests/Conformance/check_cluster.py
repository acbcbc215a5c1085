#!/usr/bin/env python3
"""Checks a live cluster of three nodes against the protocol page.

Prints `ok NAME` or `not ok NAME: why` for each check, lines of detail that begin with `#`, and
last `N passed, N failed`. Takes less than a minute; what is left after that fails.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import checks_data  # noqa: E402
import checks_hostile  # noqa: E402
import checks_invalidation  # noqa: E402
import checks_live  # noqa: E402
import checks_pacing  # noqa: E402
from checking import Failure, Report  # noqa: E402
from cluster import Cluster  # noqa: E402
from martlet_client import MartletClient  # noqa: E402

SECONDS = 55
SECONDS_FOR_ONE = 15

CHECKS = (checks_data.CHECKS + checks_invalidation.CHECKS + checks_pacing.CHECKS
          + checks_live.CHECKS + checks_hostile.CHECKS)


def _out_of_time(*_: object) -> None:
    raise Failure("it took too long")


def _connect(endpoint: str, seed: int, has_slots: bool) -> Cluster:
    """The cluster behind an endpoint; LIVE and complete topologies may take a moment."""
    deadline = time.monotonic() + 10
    while True:
        client = MartletClient(endpoint)
        nodes, table = client.topology.nodes, client.topology.slots
        is_whole = nodes and all(node.endpoints and all(node.endpoints) for node in nodes)
        if is_whole and (table.is_served if table is not None else not has_slots):
            return Cluster(client, seed)
        client.close()
        if time.monotonic() > deadline:
            raise Failure(f"the topology stays incomplete: {nodes}")
        time.sleep(0.05)


def main() -> int:
    """Runs all checks, or those named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cluster", required=True, help="any endpoint of the cluster")
    parser.add_argument("--seed", type=int, help="the seed of random input (default: random)")
    parser.add_argument("--slots", action="store_true", help="the log assigns its keys by slots")
    parser.add_argument("--only", action="append", help="the name of a check to run")
    arguments = parser.parse_args()
    seed = arguments.seed
    if seed is None:
        seed = int.from_bytes(os.urandom(4), "little")
    print(f"# seed {seed}", flush=True)
    report = Report()
    found = []
    report.run("the_cluster_is_there",
               lambda: found.append(_connect(
                   arguments.cluster, seed, arguments.slots)))
    signal.signal(signal.SIGALRM, _out_of_time)
    end = time.monotonic() + SECONDS
    for check in CHECKS if found else []:
        if arguments.only and check.__name__ not in arguments.only:
            continue
        left = min(SECONDS_FOR_ONE, end - time.monotonic())
        signal.setitimer(signal.ITIMER_REAL, max(0.001, left))
        report.run(check.__name__, lambda: check(found[0]))
        signal.setitimer(signal.ITIMER_REAL, 0)
    for cluster in found:
        cluster.client.close()
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
