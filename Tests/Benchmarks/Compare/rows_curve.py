"""The row of keys: what CURVE costs, and what Martlet adds to what libzmq's CURVE leaves."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

import systems
from arena import Arena, Entry, loader
from figures import Contestant, Ratio, Row, ratio_by_round
from rows_rates import BATCH, IN_FLIGHT, rate_of

ASKED = 0.9
SIZES = ((1, "one key a message"), (BATCH, f"{BATCH} keys a message"))


def curve(arena: Arena) -> Row:
    """Gets from a node with keys against bare libzmq with keys that moves the same messages."""
    row = Row("curve", f"gets by CURVE, {IN_FLIGHT} keys in flight, singly and in batches of "
                       f"{BATCH}")
    value = arena.settings.value
    # With keys beside each other, so that little time lies between what is held together.
    systems_of: Tuple[Tuple[str, systems.System], ...] = (
        ("Martlet with keys", arena.secured),
        ("bare libzmq with keys", arena.echo("martlet", value, with_keys=True)),
        ("Martlet", arena.martlet),
        ("bare libzmq", arena.echo("martlet", value)))
    for system in (arena.secured, arena.martlet):
        arena.fill(system, "k", arena.settings.keys, value)
    entries: List[Entry] = [
        (f"{name} {batch}", f"{name}, {face}", system, loader(arena, system, [], IN_FLIGHT, batch))
        for batch, face in SIZES for name, system in systems_of]
    arena.rounds(row, entries, "keys/s", rate_of("hits"))
    for batch, face in SIZES:
        hold(row, batch, face)
    row.notes.append(
        "Bare libzmq is the echo: a ROUTER with one thread for ZAP that answers with messages of "
        "the same form and length and looks nothing up. By CURVE the loader seals and opens as "
        "much as the server does, so that no echo can be faster than a server by half. Both share "
        "the cores: a ratio of rates is of server and loader together, and of what else the "
        "machine did. By the processor time of both it is what it would be if they were alone "
        "and kept it busy.")
    return row


def hold(row: Row, batch: int, face: str) -> None:
    def ratio(label: str, above: str, below: str, asked: Optional[float] = None) -> None:
        row.ratios.append(Ratio(f"{face}: {label}", ratio_by_round(
            row, f"{above} {batch}", [f"{below} {batch}"], max), asked))

    ratio("Martlet with keys ÷ bare libzmq with keys", "Martlet with keys",
          "bare libzmq with keys", ASKED)
    ratio("Martlet with keys ÷ without", "Martlet with keys", "Martlet")
    ratio("bare libzmq with keys ÷ without", "bare libzmq with keys", "bare libzmq")
    ratio("Martlet ÷ bare libzmq, both without keys", "Martlet", "bare libzmq")
    for name in ("Martlet with keys", "bare libzmq with keys", "Martlet", "bare libzmq"):
        derive(row, f"{name} {batch}", "time", "processor time of the server for a key",
               time_of_key)
        derive(row, f"{name} {batch}", "both", "of server and loader", time_of_both)
    row.ratios.append(Ratio(
        f"{face}: processor time of the server for a key, Martlet ÷ bare libzmq, with keys",
        ratio_by_round(row, f"Martlet with keys {batch} time",
                       [f"bare libzmq with keys {batch} time"], min), is_at_most=True))
    row.ratios.append(Ratio(
        f"{face}: processor time of server and loader, bare libzmq ÷ Martlet, with keys",
        ratio_by_round(row, f"bare libzmq with keys {batch} both",
                       [f"Martlet with keys {batch} both"], min)))


def derive(row: Row, key: str, suffix: str, label: str,
           figure: Callable[[Dict[str, Any]], Optional[float]]) -> None:
    """Of the same runs: another figure, in µs."""
    contestant = next(each for each in row.contestants if each.key == key)
    values = [figure(detail) if detail else None for detail in contestant.details]
    row.contestants.append(Contestant(
        f"{key} {suffix}", f"{contestant.label}, {label}", "µs", values, contestant.details))


def time_of_key(detail: Dict[str, Any]) -> Optional[float]:
    """µs of all threads of the server; None if it answered nothing."""
    rate = rate_of("hits")(detail)
    return detail["cores"] / rate * 1e6 if rate else None


def time_of_both(detail: Dict[str, Any]) -> Optional[float]:
    """µs of server and loader, each by its own count: what a key takes of a machine that is theirs
    alone and busy, whatever share of this one they were given."""
    server, told = time_of_key(detail), detail["loader"]
    return server + told["cores"] / told["rate"] * 1e6 if server and told["rate"] else None
