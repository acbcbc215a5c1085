"""What a scenario is handed."""

from __future__ import annotations

import time
from dataclasses import dataclass, field as member
from pathlib import Path
from typing import List

import station  # noqa: F401  (finds the packages below)
from checking import expect


@dataclass
class Scenario:
    """The program under test, a directory of its own, and how much time there is."""

    program: str
    directory: Path
    is_full: bool
    began: float = member(default_factory=time.monotonic)
    wrong: List[str] = member(default_factory=list)

    def tell(self, figures: str) -> None:
        """Prints what was seen."""
        print(f"    {figures}", flush=True)

    def owe(self, condition: object, why: str) -> None:
        """Notes what is not as asked, and goes on: all of it is told at the end."""
        if not condition:
            self.wrong.append(why)

    def end(self) -> None:
        """Fails if anything was not as asked."""
        expect(not self.wrong, "; ".join(self.wrong))
