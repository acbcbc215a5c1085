"""The disk tiers of a cluster's nodes: where they lie, how they are hurt, and what nodes say of
them."""

from __future__ import annotations

import os
import random
import shutil
import time
from pathlib import Path
from typing import Dict, List, Tuple

from room import Room

SIZE = "16MiB"
"""The least there is: the ring goes round within some minutes."""
HEAD_BYTES = 4_096 + 2 * (64 << 10)
"""The superblock and the two checkpoints of a file of that size."""
TAIL_BYTES = 1 << 20
OPENS_WITHIN = 45.0
"""A node without its tier tries again every 30 s."""


class Tiers:
    """A directory for each node, and one on a disk on which no tier fits."""

    memory = ["--memory", "1MiB", "--eviction", "fifo"]
    """The least there is, of a kind that spares nothing for being read often."""
    share = "1%"
    """What each judged namespace may have of it: about ten entries."""
    padding = 760

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        self.small = Room(path / "small", 8)

    def directory(self, name: str) -> Path:
        """Where a node's tier lies."""
        return self.path / name

    def file(self, name: str) -> Path:
        """The file of its only shard."""
        return self.directory(name) / "shard-0.tier"

    def options(self, name: str) -> List[str]:
        """What has a node use the tier in this node's directory."""
        return ["--disk", SIZE, "--disk-directory", str(self.directory(name))]

    def misfit(self) -> List[str]:
        """What has a node ask for a tier where none fits."""
        return ["--disk", SIZE, "--disk-directory", str(self.small.path / "tier")]

    def is_held(self, name: str, pid: int) -> bool:
        """Whether a process has this node's file open, and nobody took that away."""
        try:
            descriptors = list(Path(f"/proc/{pid}/fd").iterdir())
            return any(os.readlink(each) == str(self.file(name)) for each in descriptors)
        except OSError:
            return False

    def copy(self, to: Path) -> None:
        """For the bundle of a failure."""
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(self.path, to)

    def close(self) -> None:
        """Gives the small disk back."""
        self.small.close()


def flipped(file: Path, dice: random.Random) -> str:
    """Bytes of a file are not what they were; what was done."""
    size = file.stat().st_size
    part, first, last = dice.choice([
        ("the head", 0, HEAD_BYTES), ("the tail", HEAD_BYTES, HEAD_BYTES + TAIL_BYTES),
        ("the segments", HEAD_BYTES + TAIL_BYTES, size), ("all of it", 0, size)])
    first, last = min(first, size), min(last, size)
    if first == last:
        return f"{part} was not there"
    how = dice.choice(["bits", "bits", "pages", "zeros"])
    count = dice.choice([1, 10, 1_000] if how == "bits" else [1, 4])
    with open(file, "r+b") as opened:
        for _ in range(count):
            at = dice.randrange(first, last)
            opened.seek(at)
            if how == "bits":
                old = opened.read(1) or b"\0"
                opened.seek(at)
                opened.write(bytes([old[0] ^ 1 << dice.randrange(8)]))
            else:
                length = min(4_096, last - at)
                opened.write(bytes(length) if how == "zeros" else dice.randbytes(length))
    return f"{count} {how} of {part}"


def truncated(file: Path, dice: random.Random) -> str:
    """A file ends somewhere before its end; what was done."""
    length = min(file.stat().st_size, dice.choice([
        0, 100, 4_096, HEAD_BYTES + 10_000, HEAD_BYTES + TAIL_BYTES, 5 << 20, (16 << 20) - 4_096]))
    os.truncate(file, length)
    return f"cut to {length} bytes"


class Told:
    """What nodes say of their tiers, life after life."""

    def __init__(self) -> None:
        self.lives: Dict[Tuple[str, float], Dict[str, int]] = {}
        self.closed_since: Dict[Tuple[str, float], float] = {}

    def note(self, name: str, started: float, figures: Dict[str, int]) -> None:
        """What a life has said last is what counts of it."""
        life = name, started
        self.lives[life] = figures
        if figures.get("disk_open"):
            self.closed_since.pop(life, None)
        else:
            self.closed_since.setdefault(life, time.monotonic())

    def has_none_for_long(self, name: str, started: float) -> bool:
        """Whether a life has been without its tier for longer than it takes to try again."""
        since = self.closed_since.get((name, started))
        return since is not None and time.monotonic() - since > OPENS_WITHIN

    def sum(self, figure: str) -> int:
        """Over all lives."""
        return sum(figures.get(figure, 0) for figures in self.lives.values())

    def line(self) -> str:
        """What all tiers have done."""
        names = {"promoted": "entries read", "passed_over": "passed over", "appended": "appended",
                 "tombstones": "tombstones", "damaged": "damaged", "stores_shed": "stores shed",
                 "reads_shed": "reads shed", "reclaimed_segments": "segments used again"}
        told = ", ".join(f"{self.sum('disk_' + name)} {what}" for name, what in names.items())
        return f"tiers: {len(self.lives)} lives, {told}"
