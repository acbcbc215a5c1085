"""Rows that scale one thing: the length of values, and the shards of a node."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

import systems
from arena import Arena, Entry
from driving import Loader, MartletBench, loader_words
from figures import Ratio, Row, ratio_by_round
from rows_rates import BATCH, GATHERED, IN_FLIGHT, rate_of
from running import Child, Refusal

SIZES = (16, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 512 << 10)
# What is on its way at once, and what one message of Martlet's may carry back.
BYTES_IN_FLIGHT = 4 << 20
MESSAGE_BYTES = 64 << 10
SHARDS = (1, 2, 4)


def many(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def name_of(size: int) -> str:
    return f"{size >> 10} KiB" if size >= 1 << 10 else f"{size} B"


def sizes(arena: Arena) -> Row:
    """Gets of values of several lengths, in bytes a second."""
    row = Row("sizes", "gets of values of one length each, 512 in flight or 4 MiB")
    for size in SIZES:
        keys = max(16, min(arena.settings.keys, arena.settings.memory // 32 // (size + 150)))
        for system in arena.all:
            arena.fill(system, chr(ord("A") + SIZES.index(size)), keys, size)
        of_size(arena, row, size, keys)
    row.notes.append("Martlet by the C loader, up to 128 keys and 64 KiB a message. Values above "
                     "512 KiB travel in parts, which the loader does not ask for.")
    return row


def of_size(arena: Arena, row: Row, size: int, keys: int) -> None:
    in_flight = max(8, min(IN_FLIGHT, BYTES_IN_FLIGHT // size))
    gathered = max(1, min(GATHERED, MESSAGE_BYTES // size))

    def drives(system: systems.System) -> Callable[[], Loader]:
        batch, more = (gathered, ["--gather"]) if system is arena.martlet else (1, [])
        return lambda: Loader(
            arena.settings.programs, arena.settings.seconds,
            [*loader_words(system, keys, in_flight, batch), *more,
             "--prefix", chr(ord("A") + SIZES.index(size)), "--value", size])

    def megabytes(detail: Dict[str, Any]) -> Optional[float]:
        rate = rate_of("hits")(detail)
        return None if rate is None else rate * size / 1e6

    name = name_of(size)
    entries: List[Entry] = [(f"{name} {system.name}", f"{name}, {system.name}", system,
                             drives(system)) for system in arena.all]
    arena.rounds(row, entries, "MB/s", megabytes)
    row.ratios.append(Ratio(f"{name}: Martlet ÷ the best peer", ratio_by_round(
        row, f"{name} Martlet", [f"{name} Redis", f"{name} memcached"], max)))


def shards(arena: Arena) -> Row:
    """Nodes of one, two and four shards, by `martlet bench`, whose client knows them all."""
    row = Row("shards", f"gets by shards of the node: in batches of {BATCH}, 16 in flight")
    settings = arena.settings
    entries: List[Entry] = []
    for count in SHARDS:
        node = arena.started(f"martlet, {count} shards", lambda count=count: systems.Martlet(
            settings.memory, settings.martlet, [*settings.node_options, "--shards", str(count)]))
        asked = ["--keys", settings.keys, "--value", f"{settings.value}B"]
        load(arena, node, asked)
        for threads in (1, 2):
            words = [*asked, "--read", 1, "--batch", BATCH, "--concurrency", 16,
                     "--threads", threads, *settings.bench_options]
            label = f"{many(count, 'shard')}, {many(threads, 'thread')} of bench"
            entries.append(
                (f"{count} {threads}", label, node, lambda node=node, words=words: MartletBench(
                    settings.martlet, node.publisher, settings.seconds, words)))
    arena.rounds(row, entries, "keys/s", rate_of("hits"))
    for count in SHARDS[1:]:
        row.ratios.append(Ratio(
            f"{count} shards ÷ one, the better number of threads",
            [better(row, count, turn) for turn in range(settings.rounds)]))
    row.notes.append("Shards, I/O threads and the generator share the cores: how many of them "
                     "each used stands beside the figures.")
    return row


def better(row: Row, count: int, turn: int) -> Optional[float]:
    """What so many shards reached in one round, over what one did."""
    def most(shards_asked: int) -> Optional[float]:
        values = [contestant.values[turn] for contestant in row.contestants
                  if contestant.key.startswith(f"{shards_asked} ")]
        return max((value for value in values if value is not None), default=None)
    ours, one = most(count), most(1)
    return ours / one if ours and one else None


def load(arena: Arena, node: systems.Martlet, asked: List[Any]) -> None:
    """Stores every key once. Our loader in C speaks to one shard only."""
    command = [arena.settings.martlet, "bench", "--cluster", node.publisher, "--load", "--read", 1,
               "--requests", 1, *asked, "--batch", BATCH]
    with Child(command, arena.settings.folder / "load.out") as child:
        child.finish(300)
        if child.process.returncode != 0:
            raise Refusal(f"a node could not be filled: {child.last_words}")
