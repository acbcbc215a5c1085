"""Medians, their spread, and ratios of figures that were taken in the same round."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence


@dataclass
class Spread:
    """The median of some values, the least and the greatest."""

    median: float
    least: float
    greatest: float

    @staticmethod
    def of(values: Sequence[Optional[float]]) -> Optional["Spread"]:
        """None if there is no value: nothing is told that was not measured."""
        there = [value for value in values if value is not None]
        if not there:
            return None
        return Spread(statistics.median(there), min(there), max(there))


@dataclass
class Contestant:
    """One that was measured in every round of a row, and what came out."""

    key: str
    label: str
    unit: str
    values: List[Optional[float]] = field(default_factory=list)
    # Of each round: the loader's own count, cores of server and loader, latencies, commands.
    details: List[Dict[str, Any]] = field(default_factory=list)

    @property
    def spread(self) -> Optional[Spread]:
        return Spread.of(self.values)


@dataclass
class Ratio:
    """What is held against what. `asked` is a bound from below, or from above if `is_at_most`."""

    label: str
    values: List[Optional[float]]
    asked: Optional[float] = None
    stretch: Optional[float] = None
    is_at_most: bool = False

    @property
    def spread(self) -> Optional[Spread]:
        return Spread.of(self.values)

    def reaches(self, bound: Optional[float]) -> Optional[bool]:
        """Whether the median reaches a bound; None if one of the two is not there."""
        spread = self.spread
        if spread is None or bound is None:
            return None
        return spread.median <= bound if self.is_at_most else spread.median >= bound

    @property
    def verdict(self) -> str:
        if self.asked is None:
            return ""
        if self.spread is None:
            return "not measured"
        if not self.reaches(self.asked):
            return "**missed**"
        return "reached, also the stretch" if self.reaches(self.stretch) else "reached"


@dataclass
class Row:
    """A row of the comparison: who was measured, what is held against what, and remarks."""

    key: str
    title: str
    contestants: List[Contestant] = field(default_factory=list)
    ratios: List[Ratio] = field(default_factory=list)
    notes: List[str] = field(default_factory=list)


def ratio_by_round(
    row: Row, above: str, below: Sequence[str], best: Callable[[Sequence[float]], float]
) -> List[Optional[float]]:
    """For each round one contestant's figure over the best of others'; None where one lacks."""
    by_key = {contestant.key: contestant for contestant in row.contestants}
    if above not in by_key:
        return []
    ratios: List[Optional[float]] = []
    for index, value in enumerate(by_key[above].values):
        others = [by_key[key].values[index] for key in below if key in by_key]
        there = [other for other in others if other]
        ratios.append(value / best(there) if value is not None and there else None)
    return ratios
