"""What processes hold of the machine, and the most that they have held."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, NamedTuple

import target  # noqa: F401  (finds the packages below)
from sampler import sample

MEBIBYTE = 1 << 20
KIBIBYTE = 1 << 10


class Held(NamedTuple):
    """What one process holds now; bytes and numbers."""

    resident: int
    descriptors: int
    threads: int


def held(pid: int) -> Held:
    """What a process holds now."""
    seen = sample("", pid, 0.0)
    if seen is None:
        raise AssertionError(f"process {pid} is gone")
    return Held(seen.resident, seen.descriptors, seen.threads)


def forget_peak(pid: int) -> None:
    """The most that it has held is what it holds now."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def peak(pid: int) -> int:
    """The most resident memory that it has held since `forget_peak`, in bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * KIBIBYTE
    raise AssertionError(f"nothing is known of the memory of process {pid}")


def mebibytes(amounts: Dict[str, int]) -> str:
    """Each process's, for people."""
    each = (f"{name} {amount / MEBIBYTE:+.1f}" for name, amount in amounts.items())
    return ", ".join(each) + " MiB"
