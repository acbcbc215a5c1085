"""Rows of rates: gets one by one and in batches, sets, with many in flight."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

from arena import Arena, Entry, loader
from driving import CONNECTIONS, Memtier, MartletBench, RedisBenchmark
from figures import Ratio, Row, ratio_by_round
from running import Child

IN_FLIGHT = 512
GATHERED = 128
BATCH = 64
BATCHES_IN_FLIGHT = 16
GENERATOR_ASKED = 1.5


def rate_of(counter: str) -> Callable[[Dict[str, Any]], Optional[float]]:
    """The server's own count; the loader's where the server has none, as an echo."""
    def figure(detail: Dict[str, Any]) -> Optional[float]:
        return detail["rates"].get(counter, detail["loader"].get("rate"))
    return figure


def bench(arena: Arena, *words: Any) -> Callable[[], MartletBench]:
    settings = arena.settings
    return lambda: MartletBench(
        settings.martlet, arena.martlet.publisher, settings.seconds,
        ["--keys", settings.keys, "--value", f"{settings.value}B", *words,
         *settings.bench_options])


def redis_benchmark(arena: Arena, depth: int, *command: str) -> Callable[[], RedisBenchmark]:
    return lambda: RedisBenchmark(arena.redis.address, arena.settings.keys, depth, command)


def fill_all(arena: Arena) -> None:
    for system in arena.all:
        arena.fill(system, "k", arena.settings.keys, arena.settings.value)


def echoes(arena: Arena, words: Dict[str, List[Any]], in_flight: int, batch: int) -> List[Entry]:
    """The same loader against an echo for each protocol: how fast it is at most."""
    value = arena.settings.value
    entries: List[Entry] = []
    for kind, name in (("martlet", "Martlet"), ("resp", "Redis"), ("text", "memcached")):
        if kind not in words:
            continue
        echo = arena.echo(kind, value)
        size = GATHERED if "--gather" in words[kind] else batch
        entries.append((f"echo {kind}", f"an echo that answers like {name}, C loader", echo,
                        loader(arena, echo, words[kind], in_flight, size)))
    return entries


def hold(row: Row, peers: List[str], asked: float, stretch: float, face: str) -> None:
    """Martlet by each of its loaders against the best peer; each loader against its echo."""
    row.ratios.append(Ratio(f"Martlet by `martlet bench` ({face}) ÷ the best peer",
                            ratio_by_round(row, "martlet bench", peers, max), asked, stretch))
    row.ratios.append(Ratio("Martlet by the C loader ÷ the best peer",
                            ratio_by_round(row, "martlet", peers, max), asked, stretch))
    for kind, key in (("martlet", "martlet"), ("resp", "redis"), ("text", "memcached")):
        values = ratio_by_round(row, f"echo {kind}", [key], max)
        if values:
            row.ratios.append(Ratio(f"the C loader against an echo ÷ against {key}", values,
                                    GENERATOR_ASKED))


def gathered() -> List[object]:
    """As many keys in flight as the others have; the library fills messages with them."""
    return ["--batch", GATHERED, "--concurrency", IN_FLIGHT // GATHERED]


def gets(arena: Arena) -> Row:
    """Single-key gets, 512 in flight."""
    row = Row("gets", f"single-key gets, {IN_FLIGHT} in flight")
    fill_all(arena)
    gather = ["--gather"]
    entries: List[Entry] = [
        ("martlet bench", f"Martlet, `martlet bench`, up to {GATHERED} keys a message",
         arena.martlet, bench(arena, "--read", 1, *gathered())),
        ("martlet bench single", "Martlet, `martlet bench`, one key a message", arena.martlet,
         bench(arena, "--read", 1, "--concurrency", IN_FLIGHT)),
        ("martlet", f"Martlet, C loader, up to {GATHERED} keys a message", arena.martlet,
         loader(arena, arena.martlet, gather, IN_FLIGHT, GATHERED)),
        ("martlet single", "Martlet, C loader, one key a message", arena.martlet,
         loader(arena, arena.martlet, [], IN_FLIGHT)),
        ("redis-benchmark", "Redis, redis-benchmark -P 64", arena.redis,
         redis_benchmark(arena, IN_FLIGHT // CONNECTIONS, "GET", "k000__rand_int__")),
        ("redis", "Redis, C loader, 64 deep", arena.redis,
         loader(arena, arena.redis, [], IN_FLIGHT)),
        ("memcached", "memcached, C loader, 64 deep", arena.memcached,
         loader(arena, arena.memcached, [], IN_FLIGHT)),
        *memtier(arena),
        *echoes(arena, {"martlet": gather, "resp": [], "text": []}, IN_FLIGHT, 1)]
    arena.rounds(row, entries, "keys/s", rate_of("hits"))
    peers = ["redis-benchmark", "redis", "memcached", "memtier redis", "memtier memcached"]
    hold(row, peers, 1.5, 2.0, f"its library sends up to {GATHERED} keys a message")
    return row


def memtier(arena: Arena) -> List[Entry]:
    """Redis and memcached by memtier, where it is installed; it stores its own keys first."""
    if not Memtier.is_there():
        return []
    keys = ["--key-prefix=m", "--key-minimum=1", f"--key-maximum={arena.settings.keys}",
            f"--data-size={arena.settings.value}"]
    entries: List[Entry] = []
    for key, system, protocol in (("memtier redis", arena.redis, "redis"),
                                  ("memtier memcached", arena.memcached, "memcache_text")):
        stores = Memtier(system.address, protocol, 0, [*keys, "--ratio=1:0"]).command
        stores = [word for word in stores if not word.startswith("--test-time")]
        with Child([*stores, "--key-pattern=P:P", "-n", "allkeys"],
                   arena.settings.folder / "memtier.out") as child:
            child.finish(300)
        asks = [*keys, "--ratio=0:1", "--key-pattern=R:R"]
        entries.append((key, f"{system.name}, memtier, 64 deep", system, lambda system=system,
                        protocol=protocol, asks=asks: Memtier(
                            system.address, protocol, arena.settings.seconds, asks)))
    return entries


def batches(arena: Arena) -> Row:
    """Gets in batches of 64."""
    row = Row("batches", f"gets in batches of {BATCH}, {BATCHES_IN_FLIGHT} of them in flight")
    fill_all(arena)
    in_flight = BATCH * BATCHES_IN_FLIGHT
    names = ["k000__rand_int__"] * BATCH
    entries: List[Entry] = [
        ("martlet bench", "Martlet, `martlet bench --batch 64`", arena.martlet,
         bench(arena, "--read", 1, "--batch", BATCH, "--concurrency", BATCHES_IN_FLIGHT)),
        ("martlet", "Martlet, C loader", arena.martlet,
         loader(arena, arena.martlet, [], in_flight, BATCH)),
        ("redis-benchmark", "Redis, redis-benchmark, MGET", arena.redis,
         redis_benchmark(arena, BATCHES_IN_FLIGHT // CONNECTIONS, "MGET", *names)),
        ("redis", "Redis, C loader, MGET", arena.redis,
         loader(arena, arena.redis, [], in_flight, BATCH)),
        ("memcached", "memcached, C loader, multi-get", arena.memcached,
         loader(arena, arena.memcached, [], in_flight, BATCH)),
        *echoes(arena, {"martlet": [], "resp": [], "text": []}, in_flight, BATCH)]
    arena.rounds(row, entries, "keys/s", rate_of("hits"))
    hold(row, ["redis-benchmark", "redis", "memcached"], 2.5, 4.0, "batches of 64")
    return row


def sets(arena: Arena) -> Row:
    """Sets, 512 in flight: they replace what is there."""
    row = Row("sets", f"sets, {IN_FLIGHT} in flight")
    fill_all(arena)
    gather, stores = ["--gather", "--operation", "set"], ["--operation", "set"]
    value = "v" * arena.settings.value
    entries: List[Entry] = [
        ("martlet bench", f"Martlet, `martlet bench`, up to {GATHERED} keys a message",
         arena.martlet, bench(arena, "--read", 0, *gathered())),
        ("martlet", f"Martlet, C loader, up to {GATHERED} keys a message", arena.martlet,
         loader(arena, arena.martlet, gather, IN_FLIGHT, GATHERED)),
        ("redis-benchmark", "Redis, redis-benchmark -P 64", arena.redis,
         redis_benchmark(arena, IN_FLIGHT // CONNECTIONS, "SET", "k000__rand_int__", value)),
        ("redis", "Redis, C loader, 64 deep", arena.redis,
         loader(arena, arena.redis, stores, IN_FLIGHT)),
        ("memcached", "memcached, C loader, 64 deep", arena.memcached,
         loader(arena, arena.memcached, stores, IN_FLIGHT)),
        *echoes(arena, {"martlet": gather, "resp": stores, "text": stores}, IN_FLIGHT, 1)]
    try:
        arena.rounds(row, entries, "keys/s", rate_of("sets"))
    finally:
        arena.spoil()
    hold(row, ["redis-benchmark", "redis", "memcached"], 1.2, 2.0,
         f"its library sends up to {GATHERED} keys a message")
    return row


def verified(arena: Arena) -> Row:
    """Throughput with every answer checked, against the same load unchecked."""
    row = Row("verify", "`martlet bench --verify` against without")
    with Child([arena.settings.martlet, "bench", "--help"],
               arena.settings.folder / "help.out") as child:
        has_verify = "--verify" in child.finish(30)
    if not has_verify:
        row.notes.append("left out: this martlet has no `bench --verify`")
        return row
    fill_all(arena)
    words = ["--read", 0.95, "--concurrency", IN_FLIGHT]
    entries: List[Entry] = [
        ("plain", "`martlet bench`", arena.martlet, bench(arena, *words)),
        ("verified", "`martlet bench --verify`", arena.martlet,
         bench(arena, *words, "--verify"))]
    try:
        arena.rounds(row, entries, "keys/s",
                     lambda seen: seen["rates"]["gets"] + seen["rates"]["sets"])
    finally:
        arena.spoil()
    row.ratios.append(Ratio("with ÷ without", ratio_by_round(row, "verified", ["plain"], max),
                            0.5))
    return row
