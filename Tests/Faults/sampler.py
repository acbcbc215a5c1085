"""What processes hold of the machine, every few seconds, and whether that is flat."""

from __future__ import annotations

import csv
import os
import statistics
import threading
import time
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Callable, Dict, List, Optional, Tuple

MEGABYTE = 1 << 20
MEMORY_SHARE, MEMORY_MORE = 1.03, 4 * MEGABYTE
"""Memory is flat if the median of a life's last quarter is at most that share of the second
quarter's, and that many bytes more."""
DESCRIPTORS_MORE, DESCRIPTORS_PEAK = 4, 32
"""The same for descriptors; and their peak may be that far above the second quarter's."""
THREADS_PEAK = 2
"""Threads do not grow; for a moment there may be so many more."""
POOL_ENDINGS = ("-qos", "-qos.overcommit")
"""What the names of the system library's threads end with, which come with work and go when there
was none for some seconds."""
POOL_MORE = 4
"""Of these there are at most so many more than two for each core."""
QUARTER_MIN = 8
"""A life is judged if each of its quarters has so many samples."""


@dataclass
class Sample:
    """What one process held at one moment, in bytes and numbers."""

    seconds: float
    name: str
    pid: int
    resident: int
    anonymous: int
    descriptors: int
    threads: int
    pool: int
    """Threads that the system library makes and ends as it sees fit; not among the others."""


@dataclass
class Life:
    """What a process held early, in the second quarter of its samples, and late, in the last."""

    name: str
    pid: int
    seconds: float
    early: Dict[str, float]
    late: Dict[str, float]
    peaks: Dict[str, Tuple[int, int]]
    wrong: List[str]

    def line(self) -> str:
        """It in a line."""
        return (f"{self.name} ({self.pid}), {self.seconds:.0f} s: "
                f"resident {self._megabytes('resident')}, "
                f"of it anonymous {self._megabytes('anonymous')}, "
                f"descriptors {self._numbers('descriptors')}, threads {self._numbers('threads')}, "
                f"of the system's pool {self._numbers('pool')}")

    def _megabytes(self, what: str) -> str:
        return f"{self.early[what] / MEGABYTE:.1f} → {self.late[what] / MEGABYTE:.1f} MiB"

    def _numbers(self, what: str) -> str:
        return (f"{self.early[what]:.0f} → {self.late[what]:.0f} "
                f"(at most {self.peaks[what][0]} → {self.peaks[what][1]})")


WHAT = ("resident", "anonymous", "descriptors", "threads", "pool")


def life(samples: List[Sample]) -> Optional[Life]:
    """How a process fared whose samples these are; `None` if it did not live long enough."""
    quarter = len(samples) // 4
    if quarter < QUARTER_MIN:
        return None
    early, late = samples[quarter:2 * quarter], samples[-quarter:]
    medians = [{what: statistics.median(getattr(each, what) for each in part) for what in WHAT}
               for part in (early, late)]
    peaks = {what: (max(getattr(each, what) for each in early),
                    max(getattr(each, what) for each in late)) for what in WHAT}
    found = Life(samples[0].name, samples[0].pid, samples[-1].seconds - samples[0].seconds,
                 *medians, peaks, [])
    for what in ("resident", "anonymous"):
        bound = found.early[what] * MEMORY_SHARE + MEMORY_MORE
        if found.late[what] > bound:
            found.wrong.append(f"{what} memory grew beyond {bound / MEGABYTE:.1f} MiB")
    if found.late["descriptors"] > found.early["descriptors"] + DESCRIPTORS_MORE:
        found.wrong.append("descriptors grew")
    if peaks["descriptors"][1] > peaks["descriptors"][0] + DESCRIPTORS_PEAK:
        found.wrong.append("the peak of descriptors grew")
    peak = peaks["threads"][0] + THREADS_PEAK
    if found.late["threads"] > found.early["threads"] or peaks["threads"][1] > peak:
        found.wrong.append("threads grew")
    if peaks["pool"][1] > 2 * (os.cpu_count() or 1) + POOL_MORE:
        found.wrong.append("the system's pool of threads grew")
    return found


def sample(name: str, pid: int, seconds: float) -> Optional[Sample]:
    """What a process holds now; `None` if there is no such process."""
    process = Path(f"/proc/{pid}")
    try:
        lines = (process / "status").read_text().splitlines()
        status = dict(line.split(":", 1) for line in lines)
        descriptors = sum(1 for _ in (process / "fd").iterdir())
        pool = sum(_is_pooled(thread) for thread in (process / "task").iterdir())
        return Sample(seconds, name, pid, _bytes(status["VmRSS"]), _bytes(status["RssAnon"]),
                      descriptors, int(status["Threads"]) - pool, pool)
    except (OSError, KeyError):
        return None


def _is_pooled(thread: Path) -> bool:
    try:
        return (thread / "comm").read_text().strip().endswith(POOL_ENDINGS)
    except OSError:
        return False


def _bytes(text: str) -> int:
    return int(text.split()[0]) << 10


class Sampler(threading.Thread):
    """Looks at some processes again and again. `who` says which: pairs of name and pid."""

    def __init__(self, who: Callable[[], List[Tuple[str, int]]], pause: float) -> None:
        super().__init__(daemon=True)
        self.who, self.pause = who, pause
        self.samples: List[Sample] = []
        self.stopping = threading.Event()
        self.began = time.monotonic()

    @property
    def seconds(self) -> float:
        """How long it has looked."""
        return round(time.monotonic() - self.began, 2)

    def run(self) -> None:
        """Until it is told to stop."""
        while not self.stopping.wait(self.pause):
            for name, pid in self.who():
                seen = sample(name, pid, self.seconds)
                if seen is not None:
                    self.samples.append(seen)

    def lives(self, settling: float) -> List[Life]:
        """Every process that lived long enough after its first so many seconds."""
        by_pid: Dict[int, List[Sample]] = {}
        for each in list(self.samples):
            by_pid.setdefault(each.pid, []).append(each)
        found = [life([each for each in samples if each.seconds - samples[0].seconds >= settling])
                 for samples in by_pid.values()]
        return [each for each in found if each is not None]

    def stop(self) -> None:
        """Takes no more samples."""
        self.stopping.set()
        self.join(10)

    def write(self, path: Path) -> None:
        """Writes all samples, a line each."""
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            names = [field.name for field in fields(Sample)]
            writer.writerow(names)
            for each in self.samples:
                writer.writerow([getattr(each, name) for name in names])
