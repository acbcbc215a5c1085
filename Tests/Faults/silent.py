"""How 64 callers fare while one of three nodes is stopped: silent.py MARTLET [--seconds 60]

A cluster with a gateway is filled, and 64 callers get 1 000 keys a second by HTTP, each when it is
due: latency counts from then. After a third of the time a node is stopped (SIGSTOP), after two
thirds it goes on. Prints rate, errors and percentiles of each third. The last line is
`N passed, N failed`: thirds in which at most one caller in a hundred waited for longer than 2 s.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Dict, List, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Harness"))

from process_tools import WITH_US, wait_until  # noqa: E402

KEYS = 3_000
CALLERS = 64
RATE = 1_000.0
LATE = 2.0
Sample = Tuple[float, float, int]
"""When it was due, how long after that it ended, and the status; 0 for none."""


class Caller(threading.Thread):
    """Gets a key whenever one is due, or as soon as the one before has ended."""

    def __init__(self, port: int, number: int, start: float, end: float) -> None:
        super().__init__(daemon=True)
        self.port, self.start_at, self.end = port, start, end
        self.random = random.Random(number)
        self.due = start + number / RATE
        self.samples: List[Sample] = []

    def run(self) -> None:
        """Until the last that is due."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        while self.due < self.end:
            time.sleep(max(0.0, self.due - time.monotonic()))
            try:
                connection.request("GET", f"/v1/default/key-{self.random.randrange(KEYS)}")
                answer = connection.getresponse()
                answer.read()
                status = answer.status
            except (OSError, http.client.HTTPException):
                connection.close()
                status = 0
            self.samples.append((self.due, time.monotonic() - self.due, status))
            self.due += CALLERS / RATE


def fill(port: int) -> None:
    """Every key, on whatever node owns it."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    for number in range(KEYS):
        connection.request("PUT", f"/v1/default/key-{number}", body=b"x" * 100)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 204, answer.status
    connection.close()


def third(name: str, all_samples: List[Sample], begin: float, end: float) -> bool:
    """Says what became of a third.

    Returns whether nearly all of it came soon.
    """
    samples = [each for each in all_samples if begin <= each[0] < end]
    times = sorted(took for _, took, _ in samples)
    errors = sum(status != 200 for _, _, status in samples)
    answered = sum(begin <= due + took < end for due, took, _ in all_samples)
    served = sum(
        begin <= due + took < end and status == 200 for due, took, status in all_samples)
    seconds = end - begin
    points = {share: times[min(len(times) - 1, int(len(times) * share))]
              for share in (0.5, 0.9, 0.99)}
    told = ", ".join(f"p{share * 100:.0f} {took * 1e3:.0f} ms" for share, took in points.items())
    is_soon = points[0.99] <= LATE
    print(f"{'ok' if is_soon else 'not ok'} {name}: {len(samples) / seconds:.0f} keys/s due, "
          f"{answered / seconds:.0f} answered, {served / seconds:.0f} with a value; "
          f"{errors / len(samples):.1%} errors, {told}, longest {times[-1] * 1e3:.0f} ms")
    return is_soon


def measured(program: str, seconds: float, directory: Path) -> List[bool]:
    """Whether each third passes."""
    # `up` takes 64 ports from there on, below those that the system hands out.
    port = random.randrange(20_000, 31_900)
    ready = directory / "ready.json"
    with open(directory / "up.log", "wb") as log:
        up = subprocess.Popen(
            [*WITH_US, program, "up", "--nodes", "3", "--port", str(port), "--gateway", "--dir",
             str(directory / "data"), "--ready-file", str(ready)], stdout=log, stderr=log)
    try:
        wait_until("the cluster is ready", lambda: ready.exists() or up.poll() is not None, 60)
        assert up.poll() is None, (directory / "up.log").read_text()
        report: Dict = json.loads(ready.read_text())
        gateway = int(report["gateway"]["url"].rstrip("/").rsplit(":", 1)[1])
        fill(gateway)
        start = time.monotonic() + 0.5
        cuts = [start, start + seconds / 3, start + 2 * seconds / 3, start + seconds]
        callers = [Caller(gateway, number, start, cuts[3]) for number in range(CALLERS)]
        for caller in callers:
            caller.start()
        victim = report["nodes"][1]["pid"]
        time.sleep(max(0.0, cuts[1] - time.monotonic()))
        os.kill(victim, signal.SIGSTOP)
        time.sleep(max(0.0, cuts[2] - time.monotonic()))
        os.kill(victim, signal.SIGCONT)
        for caller in callers:
            caller.join()
        samples = [sample for caller in callers for sample in caller.samples]
        return [
            third(name, samples, begin, end)
            for name, begin, end in zip(("before", "stopped", "after"), cuts, cuts[1:])]
    finally:
        up.terminate()
        up.wait(30)


def main() -> int:
    """0 if no caller waited for a stopped node for longer than it takes to notice."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("program", help="the martlet binary")
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="martlet-silent-") as directory:
        results = measured(options.program, options.seconds, Path(directory))
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
