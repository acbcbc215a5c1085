"""What a comparison prints and writes: Markdown for people, JSON for programs."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from typing import Any, Dict, List, Optional

from figures import Contestant, Ratio, Row, Spread


def number(value: float) -> str:
    """Three figures that count, and thousands apart."""
    if abs(value) >= 1000:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"


def spread_text(spread: Optional[Spread], times: str = "") -> str:
    """The median and, if there is more than one value, the least and the greatest."""
    if spread is None:
        return "–"
    text = number(spread.median) + times
    if spread.least == spread.greatest:
        return text
    return f"{text} ({number(spread.least)} – {number(spread.greatest)})"


def mean(values: List[Optional[float]]) -> str:
    there = [value for value in values if value is not None]
    return f"{sum(there) / len(there):.2f}" if there else "–"


def contestant_line(contestant: Contestant) -> str:
    details = [detail for detail in contestant.details if detail]
    own = Spread.of([detail["loader"].get("rate") for detail in details])
    return (f"| {contestant.label} | {spread_text(contestant.spread)} {contestant.unit} "
            f"| {'–' if own is None else number(own.median) + ' keys/s'} "
            f"| {mean([detail['cores'] for detail in details])} "
            f"| {mean([detail['loader'].get('cores') for detail in details])} |")


def ratio_line(ratio: Ratio) -> str:
    bound = "≤" if ratio.is_at_most else "≥"
    asked = "" if ratio.asked is None else f"{bound} {ratio.asked:g} ×"
    stretch = "" if ratio.stretch is None else f"{bound} {ratio.stretch:g} ×"
    return (f"| {ratio.label} | {asked} | {stretch} | {spread_text(ratio.spread, ' ×')} "
            f"| {ratio.verdict} |")


def row_text(row: Row) -> str:
    """One row: figures, ratios, remarks."""
    lines = [f"## {row.title}", ""]
    if row.contestants:
        lines += ["| who | median (least – greatest) | the loader's own count "
                  "| cores of the server | of the loader |", "|---|---:|---:|---:|---:|",
                  *map(contestant_line, row.contestants), ""]
    if row.ratios:
        lines += ["| held against each other, round by round | asked | stretch | measured | |",
                  "|---|---|---|---|---|", *map(ratio_line, row.ratios), ""]
    lines += [f"- {note}" for note in row.notes]
    return "\n".join(lines).rstrip() + "\n"


def summary_text(rows: List[Row]) -> str:
    """Everything that something is asked of, in one table."""
    lines = ["| what | | asked | stretch | measured | |", "|---|---|---|---|---|---|"]
    for row in rows:
        lines += [f"| {row.title} {ratio_line(ratio)}" for ratio in row.ratios
                  if ratio.asked is not None]
    return "\n".join(lines) + "\n"


def commands_of(rows: List[Row], commands: List[str]) -> List[str]:
    """Every command that was run, once."""
    run = [detail["command"] for row in rows for contestant in row.contestants
           for detail in contestant.details if detail]
    return list(dict.fromkeys([*commands, *run]))


def report_text(facts: Dict[str, Any], rows: List[Row], commands: List[str]) -> str:
    """The whole report in Markdown."""
    parts = ["# Martlet beside Redis and memcached\n",
             "".join(f"- {name}: {value}\n" for name, value in facts.items()),
             "Rates are the servers' own counters over a window in mid-run; medians over rounds "
             "in paired order, least and greatest in brackets.\n",
             summary_text(rows), *map(row_text, rows), "## Commands\n",
             "".join(f"    {command}\n" for command in commands_of(rows, commands))]
    return "\n".join(parts)


def as_json(facts: Dict[str, Any], rows: List[Row], commands: List[str]) -> str:
    """The same, and every round's details."""
    told = [{**dataclasses.asdict(row), "ratios": [ratio_json(ratio) for ratio in row.ratios]}
            for row in rows]
    return json.dumps({"facts": facts, "rows": told,
                       "commands": commands_of(rows, commands)}, indent=1, ensure_ascii=False)


def ratio_json(ratio: Ratio) -> Dict[str, Any]:
    spread = ratio.spread
    return {**dataclasses.asdict(ratio),
            "spread": dataclasses.asdict(spread) if spread else None,
            "reached": ratio.reaches(ratio.asked)}


def write(folder: pathlib.Path, facts: Dict[str, Any], rows: List[Row],
          commands: List[str]) -> None:
    """Writes report.md and report.json; they are whole at every moment."""
    for name, text in (("report.md", report_text(facts, rows, commands)),
                       ("report.json", as_json(facts, rows, commands))):
        part = folder / f".{name}"
        part.write_text(text)
        part.replace(folder / name)
