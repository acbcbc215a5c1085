"""What drives a server: our loader, redis-benchmark, memtier, `martlet bench`.

Each `Drive` is one run: a command, how to know that its window has begun, and what it says of
itself at its end.
"""

from __future__ import annotations

import json
import pathlib
import re
import shutil
import time
from typing import Any, Dict, List, Optional, Sequence

from running import Child, Refusal

CONNECTIONS = 8
LINGER = 20


class Drive:
    """One run of something that drives a server."""

    warm_up = 1.0

    def __init__(self, command: Sequence[str], seconds: float) -> None:
        self.command = [str(word) for word in command]
        self.seconds = seconds
        self.child: Optional[Child] = None

    def start(self, folder: pathlib.Path) -> Child:
        self.child = Child(self.command, folder / "drive.out")
        return self.child

    def wait_until_begun(self) -> None:
        """Returns once it is in mid-run: here, after the warm-up by our own clock."""
        time.sleep(self.warm_up)
        if not self.child.runs:
            raise Refusal(f"{self.command[0]} ended at once: {self.child.last_words}")

    def report(self) -> Dict[str, Any]:
        """Ends it or waits for its end; `rate`, `cores` and `latency_us` as it tells them."""
        raise NotImplementedError


class Loader(Drive):
    """Our loader in C. It prints a line when its window begins."""

    def __init__(self, programs: pathlib.Path, seconds: float, arguments: Sequence[Any]) -> None:
        super().__init__(
            [programs / "loader", *arguments, "--warm-up", self.warm_up, "--seconds", seconds,
             "--linger", LINGER], seconds)

    def wait_until_begun(self) -> None:
        self.child.wait_for("begun", self.warm_up + 30)
        self.begun = time.monotonic()

    def report(self) -> Dict[str, Any]:
        # It goes on until it is told, so that nobody's window outlasts it.
        time.sleep(max(0.0, self.begun + self.seconds + 0.01 - time.monotonic()))
        self.child.end(30)
        ended = self.child.wait_for("ended", 1)
        if ended["wrong"] or ended["failed"] or ended["misses"]:
            raise Refusal(f"the loader saw {ended['wrong']} wrong answers, {ended['failed']} "
                          f"failures and {ended['misses']} misses: {ended['complaint']}")
        return ended


class RedisBenchmark(Drive):
    """redis-benchmark without an end; it is stopped after the window."""

    def __init__(self, address: str, keys: int, depth: int, command: Sequence[str]) -> None:
        host, port = address.split(":")
        super().__init__(
            ["redis-benchmark", "-h", host, "-p", port, "-c", CONNECTIONS, "-P", depth,
             "-r", keys, "-n", 2_000_000_000, "-q", *command], 0)

    def report(self) -> Dict[str, Any]:
        return {"rate": redis_benchmark_rate(self.child.end())}


class Memtier(Drive):
    """memtier_benchmark for its time. Not tried: Debian 12 does not package it."""

    def __init__(self, address: str, protocol: str, seconds: float, words: Sequence[str]) -> None:
        host, port = address.split(":")
        super().__init__(
            ["memtier_benchmark", "-s", host, "-p", port, f"--protocol={protocol}", "-t", "1",
             "-c", CONNECTIONS, "--pipeline=64", "--hide-histogram",
             f"--test-time={int(seconds + self.warm_up + 2)}", *words], seconds)

    @staticmethod
    def is_there() -> bool:
        return shutil.which("memtier_benchmark") is not None

    def report(self) -> Dict[str, Any]:
        self.child.finish(self.seconds + 30)
        return {}  # its printed rate is not to be trusted on short runs


class MartletBench(Drive):
    """`martlet bench` on keys that are there already."""

    def __init__(self, martlet: str, publisher: str, seconds: float, words: Sequence[Any]) -> None:
        duration = seconds + self.warm_up + 1
        super().__init__(
            [martlet, "bench", "--cluster", publisher, "--json", "--distribution", "uniform",
             "--duration", f"{int(duration * 1000)}ms", *words], seconds)

    def report(self) -> Dict[str, Any]:
        told = self.child.finish(self.seconds + 60)
        if self.child.process.returncode != 0:
            raise Refusal(f"martlet bench ended with {self.child.process.returncode}: "
                          f"{self.child.last_words}")
        report = bench_report(told)
        missed = report.get("misses", 0) if "--verify" not in self.command else 0
        if missed or report.get("errors"):
            raise Refusal(f"martlet bench tells {missed} misses and {report.get('errors')} errors")
        return report


def redis_benchmark_rate(told: str) -> Optional[float]:
    """The last overall rate of `redis-benchmark -q`, which rewrites one line."""
    found = re.findall(r"overall: ([\d.]+)\)", told)
    return float(found[-1]) if found else None


def bench_report(told: str) -> Dict[str, Any]:
    """Rate and latencies of `martlet bench --json`; what it does not tell is left out."""
    lines = [line for line in told.splitlines() if line.startswith("{")]
    if not lines:
        return {}
    report = json.loads(lines[-1])
    known = {"rate": report.get("keys_per_second"), "latency_us": report.get("latency_us"),
             "misses": report.get("misses"), "errors": report.get("errors")}
    return {name: value for name, value in known.items() if value is not None}


def loader_words(system: Any, keys: int, in_flight: int, batch: int = 1) -> List[Any]:
    """How our loader is told to ask a server: over one socket of libzmq, or 8 of TCP."""
    words = ["--protocol", system.protocol, "--to", system.address, "--keys", keys,
             "--in-flight", in_flight, "--batch", batch]
    if system.key_file is not None:
        words += ["--key", system.key_file]
    return words if system.protocol in ("martlet", "bare") else [
        *words, "--connections", min(CONNECTIONS, in_flight // batch)]
