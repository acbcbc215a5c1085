"""Running named checks one after the other, and reporting them line by line."""

from __future__ import annotations

import os
import traceback
from typing import Callable


class Failure(Exception):
    """What a check raises when something is not as promised."""


def expect(condition: object, why: str) -> None:
    """Fails the check with `why` unless the condition holds."""
    if not condition:
        raise Failure(why if len(why) < 600 else why[:600] + " …")


class Report:
    """The count of checks that passed and failed."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0

    def run(self, name: str, check: Callable[[], None]) -> None:
        """Runs a check and prints its line; any exception fails it."""
        try:
            check()
        except Exception as error:  # a check must never end the others
            self.failed += 1
            why = str(error) or type(error).__name__
            if not isinstance(error, Failure):
                why = f"{type(error).__name__}: {why}"
            print(f"not ok {name}: {' '.join(why.split())}", flush=True)
            if os.environ.get("MARTLET_TRACE"):
                traceback.print_exc()
        else:
            self.passed += 1
            print(f"ok {name}", flush=True)

    def finish(self) -> int:
        """Prints the last line and gives the exit code."""
        print(f"{self.passed} passed, {self.failed} failed", flush=True)
        return 1 if self.failed else 0
