"""Rows of latencies: one get at a time, and an open loop at one absolute rate; large values."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

from arena import LARGE_BYTES, Arena, Entry, loader
from driving import Loader, loader_words
from figures import Contestant, Ratio, Row, ratio_by_round
from rows_rates import GATHERED, IN_FLIGHT, bench, fill_all, rate_of

SPIN_US = 200
OPEN_IN_FLIGHT = 65_536
LARGE_IN_FLIGHT = 16
BARE = "bare libzmq that answers like Martlet"


def latency(share: str) -> Callable[[Dict[str, Any]], Optional[float]]:
    return lambda detail: detail["loader"].get("latency_us", {}).get(share)


def derive(row: Row, share: str, label: str) -> None:
    """Further contestants from the same runs: another percentile."""
    for contestant in list(row.contestants):
        values = [latency(share)(detail) if detail else None for detail in contestant.details]
        row.contestants.append(Contestant(
            f"{contestant.key} {share}", f"{contestant.label}, {label}", "µs", values,
            contestant.details))


def one_at_a_time(arena: Arena) -> Row:
    """One get at a time over one connection, by a closed loop in C for all, and by bench."""
    row = Row("one", "one get at a time: p50, and p99")
    fill_all(arena)
    entries: List[Entry] = []
    bare = arena.echo("martlet", arena.settings.value)
    asked = [(system.name, system.name, system) for system in arena.all]
    for key, name, system in [*asked, ("bare", BARE, bare)]:
        entries.append((key, f"{name}, blocking", system, loader(arena, system, [], 1)))
        entries.append((f"{key} spin", f"{name}, client spins ≤ {SPIN_US} µs", system,
                        loader(arena, system, ["--spin", SPIN_US], 1)))
    alone = ["--read", 1, "--concurrency", 1]
    entries.append(("bench", "Martlet, `martlet bench`, blocking", arena.martlet,
                    bench(arena, *alone)))
    entries.append(("bench spin", f"Martlet, `martlet bench --spin {SPIN_US}us`", arena.martlet,
                    bench(arena, *alone, "--spin", f"{SPIN_US}us")))
    arena.rounds(row, entries, "µs", latency("p50"))
    row.ratios = [
        Ratio("p50, Martlet with a spinning client ÷ Redis, blocking",
              ratio_by_round(row, "Martlet spin", ["Redis"], min), 1.25, 1.0, True),
        Ratio(f"p50, Martlet by `martlet bench --spin {SPIN_US}us` ÷ Redis, blocking",
              ratio_by_round(row, "bench spin", ["Redis"], min), 1.25, 1.0, True),
        Ratio("p50, Martlet ÷ Redis, both blocking",
              ratio_by_round(row, "Martlet", ["Redis"], min), is_at_most=True),
        Ratio("p50, bare libzmq with a spinning client ÷ Redis, blocking",
              ratio_by_round(row, "bare spin", ["Redis"], min), is_at_most=True),
        Ratio("p50, Martlet ÷ bare libzmq, both with a spinning client",
              ratio_by_round(row, "Martlet spin", ["bare spin"], min), is_at_most=True)]
    derive(row, "p99", "p99")
    row.ratios.append(Ratio("p99, Martlet ÷ the best peer, all blocking", ratio_by_round(
        row, "Martlet p99", ["Redis p99", "memcached p99"], min), is_at_most=True))
    row.notes.append("The client's spin yields and is bounded. A node's own spin, if it has one, "
                     "is set by --node-options and stands in the commands.")
    return row


def calibrated(arena: Arena) -> Dict[str, float]:
    """How many gets a second each system answers to our loader, closed loop."""
    rates: Dict[str, float] = {}
    for system in arena.all:
        words, batch = (["--gather"], GATHERED) if system is arena.martlet else ([], 1)
        detail = arena.measure(loader(arena, system, words, IN_FLIGHT, batch)(), system)
        rates[system.name] = rate_of("hits")(detail)
    return rates


def open_loop(arena: Arena) -> Row:
    """p99 from when each get was due, at half of what the slowest reaches."""
    row = Row("open", "open loop, gets at one absolute rate: p99 from when each was due")
    fill_all(arena)
    rates = calibrated(arena)
    slowest = min(rates, key=rates.get)
    rate = int(rates[slowest] / 2)
    row.notes.append(f"The rate is {rate:,} gets/s: half of what {slowest}, the slowest, reached "
                     "in this run. Arrivals are Poisson.")
    words = ["--rate", rate]
    entries: List[Entry] = [
        (system.name, system.name, system,
         loader(arena, system, [*words, "--gather"], OPEN_IN_FLIGHT, GATHERED)
         if system is arena.martlet else loader(arena, system, words, OPEN_IN_FLIGHT))
        for system in arena.all]
    bare = arena.echo("martlet", arena.settings.value)
    entries.append(("bare", BARE, bare, loader(
        arena, bare, [*words, "--gather"], OPEN_IN_FLIGHT, GATHERED)))
    arena.rounds(row, entries, "µs", latency("p99"))
    peers = ["Redis", "memcached"]
    row.ratios = [
        Ratio("p99, Martlet ÷ the best peer", ratio_by_round(row, "Martlet", peers, min),
              1.0, 0.5, True),
        Ratio("p99, bare libzmq ÷ the best peer", ratio_by_round(row, "bare", peers, min),
              is_at_most=True),
        Ratio("p99, Martlet ÷ bare libzmq", ratio_by_round(row, "Martlet", ["bare"], min),
              is_at_most=True)]
    for contestant in row.contestants:
        for detail in contestant.details:
            if detail and detail["loader"]["rate"] < 0.98 * rate:
                row.notes.append(f"{contestant.label} answered {detail['loader']['rate']:,.0f}/s "
                                 "only in one round")
    derive(row, "p50", "p50")
    return row


def large(arena: Arena) -> Row:
    """Values of 64 KiB, in bytes a second."""
    row = Row("large", "gets of 64 KiB values, 16 in flight")
    keys = max(16, min(arena.settings.large_keys, arena.settings.memory // 4 // LARGE_BYTES))
    for system in arena.all:
        arena.fill(system, "v", keys, LARGE_BYTES)

    def drives(system: Any) -> Callable[[], Loader]:
        return lambda: Loader(
            arena.settings.programs, arena.settings.seconds,
            [*loader_words(system, keys, LARGE_IN_FLIGHT), "--prefix", "v",
             "--value", LARGE_BYTES])

    answering, bare = arena.echo("martlet", LARGE_BYTES), arena.echo("bare", LARGE_BYTES)
    entries: List[Entry] = [
        *((system.name, system.name, system, drives(system)) for system in arena.all),
        ("answering", "bare libzmq, small frames there, 64 KiB back", answering,
         drives(answering)),
        ("bare", "bare libzmq echo, 64 KiB there and back (one way counted)", bare,
         drives(bare)),
        ("resp", "an echo that answers like Redis", arena.echo("resp", LARGE_BYTES),
         drives(arena.echo("resp", LARGE_BYTES)))]

    def megabytes(detail: Dict[str, Any]) -> Optional[float]:
        rate = rate_of("hits")(detail)
        return None if rate is None else rate * LARGE_BYTES / 1e6

    arena.rounds(row, entries, "MB/s", megabytes)
    row.ratios = [
        Ratio("Martlet ÷ bare libzmq, 64 KiB back",
              ratio_by_round(row, "Martlet", ["answering"], max), 0.9, 1.0),
        Ratio("Martlet ÷ bare libzmq echo, 64 KiB there and back",
              ratio_by_round(row, "Martlet", ["bare"], max)),
        Ratio("Martlet ÷ the best peer",
              ratio_by_round(row, "Martlet", ["Redis", "memcached"], max)),
        Ratio("the C loader against an echo ÷ against Redis",
              ratio_by_round(row, "resp", ["Redis"], max), 1.5)]
    return row
