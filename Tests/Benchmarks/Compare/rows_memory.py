"""Rows of memory: bytes for each entry, and the miss ratio where all have the same memory.

Both are measured by servers.py, which replays and fills through one connection; here its figures
are asked for at several limits and read off at equal memory.
"""

from __future__ import annotations

import json
import math
import pathlib
import sys
from typing import Any, Dict, List, Optional, Sequence, Tuple

from arena import Arena, say
from figures import Contestant, Ratio, Row
from running import Child, Refusal

SERVERS = pathlib.Path(__file__).resolve().parents[1] / "servers.py"
# The limits that the peers are given, against Martlet's: their memory at a limit differs.
STEPS = (0.5, 0.71, 1.0, 1.41, 2.0)
HOUR = 3_600


def asked(arena: Arena, *words: Any) -> List[Dict[str, Any]]:
    """The lines that servers.py prints."""
    command = [sys.executable, SERVERS, "--martlet", arena.settings.martlet, *words, "--json"]
    arena.commands.append(" ".join(["Tests/Benchmarks/servers.py", *map(str, words)]))
    with Child(command, arena.settings.folder / "servers.out") as child:
        told = child.finish(4 * HOUR)
        if child.process.returncode != 0:
            raise Refusal(f"servers.py ended with {child.process.returncode}: {child.last_words}")
    return [json.loads(line) for line in told.splitlines() if line.startswith("{")]


def memory(arena: Arena) -> Row:
    """Bytes for each entry beyond key and value."""
    row = Row("memory", f"bytes for each entry beyond key and value, "
                        f"{arena.settings.entries:,} entries of 24 + 100 bytes")
    for flags, suffix in (([], ""), (["--full"], ", with time to live")):
        lines = asked(arena, "memory", "--entries", arena.settings.entries, *flags)
        for line in lines:
            say(f"  {line['server'] + suffix:44} {line['bytes_beyond']:.1f}")
            row.contestants.append(Contestant(
                line["server"] + suffix, line["server"] + suffix, "bytes",
                [line["bytes_beyond"]]))
    row.notes.append("With time to live Martlet has a version and one tag besides, which the "
                     "others do not have. One run: memory does not wobble as rates do.")
    return row


def at_memory(points: Sequence[Tuple[float, float]], wanted: float) -> Optional[float]:
    """The miss ratio at so much memory, between the nearest two points (memory, miss ratio).

    Linear in the logarithm of memory. None outside of what was measured: nothing is made up."""
    ordered = sorted(points)
    for (least, upper), (greatest, lower) in zip(ordered, ordered[1:]):
        if least <= wanted <= greatest:
            span = math.log(greatest / least)
            part = math.log(wanted / least) / span if span > 0 else 0.0
            return upper + (lower - upper) * part
    return None


def misses(arena: Arena) -> Row:
    """Miss ratio at equal memory of the process, over traces."""
    row = Row("misses", "miss ratio at equal memory of the process")
    if not arena.settings.traces:
        row.notes.append("left out: no traces were named (--traces)")
        return row
    for trace in arena.settings.traces:
        for limit in arena.settings.limits:
            over(arena, row, trace, limit)
    return row


def over(arena: Arena, row: Row, trace: str, limit: int) -> None:
    """One trace, at what Martlet needs with this limit (MiB)."""
    requests = arena.settings.requests
    more = ["--requests", requests] if requests else []
    lines: List[Dict[str, Any]] = []
    for step in STEPS:
        part = max(1, round(limit * step))
        lines += asked(arena, "replay", trace, "--limit", part, *more)
    name = f"{pathlib.Path(trace).name.split('.')[0]}, {limit} MiB"
    for kind, label in (("rss_bytes", "resident"), ("anonymous_bytes", "anonymous")):
        read_off(row, lines, limit, kind, f"{name}, {label}")


def read_off(row: Row, lines: List[Dict[str, Any]], limit: int, kind: str, name: str) -> None:
    """Each server's miss ratio at the memory that Martlet has at its limit."""
    ours = [line for line in lines if line["server"] == "Martlet" and line["limit_mib"] == limit]
    if not ours:
        row.notes.append(f"{name}: Martlet was not measured")
        return
    wanted, best = ours[0][kind], None
    row.contestants.append(Contestant(f"{name} Martlet", f"{name} memory: Martlet at "
                                      f"{wanted / 2**20:.0f} MiB", "", [ours[0]["miss_ratio"]]))
    for server in dict.fromkeys(line["server"] for line in lines if line["server"] != "Martlet"):
        points = [(line[kind], line["miss_ratio"]) for line in lines if line["server"] == server]
        ratio = at_memory(points, wanted)
        row.contestants.append(
            Contestant(f"{name} {server}", f"{name} memory: {server}", "", [ratio]))
        if ratio is None:
            sizes = " – ".join(f"{size / 2**20:.0f}" for size in (min(points)[0], max(points)[0]))
            row.notes.append(f"{name}: {server} had {sizes} MiB, never {wanted / 2**20:.0f}")
        elif best is None or ratio < best:
            best = ratio
        say(f"  {name + ': ' + server:52} {'–' if ratio is None else format(ratio, '.4f')}")
    ours_ratio = ours[0]["miss_ratio"]
    row.ratios.append(Ratio(f"misses of Martlet ÷ of the best, {name} memory",
                            [ours_ratio / best if best else None], 1.0, 0.95, True))
