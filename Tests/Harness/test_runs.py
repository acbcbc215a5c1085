"""Tests that are functions of modules: which there are, which are chosen, and how they went."""

from __future__ import annotations

import argparse
import inspect
import time
import traceback
from types import ModuleType
from typing import Any, Callable, Dict, Optional, Sequence

Tests = Dict[str, Callable[..., Any]]
"""By name, in their order."""


def of_modules(
    modules: Sequence[ModuleType], is_test: Callable[[Any], bool] = inspect.isfunction
) -> Tests:
    """Those whose names do not begin with an underscore."""
    return {
        f"{module.__name__}.{name}": test
        for module in modules for name, test in vars(module).items()
        if is_test(test) and test.__module__ == module.__name__ and not name.startswith("_")
    }


def parser() -> argparse.ArgumentParser:
    """What every harness is told."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--only", action="append", default=[])
    arguments.add_argument("--list", action="store_true")
    return arguments


def chosen(tests: Tests, options: argparse.Namespace) -> Tests:
    """Those that `--only` means, by the beginning of a name or of its last part."""
    return {
        name: test for name, test in tests.items()
        if not options.only or any(
            name.startswith(each) or name.split(".")[-1].startswith(each)
            for each in options.only)
    }


def listed(tests: Tests) -> int:
    """Their names, for who asked for no more."""
    print("\n".join(tests))
    return 0


def carried_out(
    tests: Tests, run: Callable[[str, Callable[..., Any]], Optional[str]],
    if_failed: Callable[[], None] = lambda: None,
) -> int:
    """One after the other, a line for each, and last how many passed and failed.

    `run` may tell what it has seen. The exit code says whether there were tests and all passed.
    """
    failed = 0
    for name, test in tests.items():
        start = time.monotonic()
        try:
            told = run(name, test)
            word = f"passed  {name}" + (f"  {told}" if told else "")
        except Exception:
            traceback.print_exc()
            failed += 1
            if_failed()
            word = f"FAILED  {name}"
        print(f"  {word}  {time.monotonic() - start:.1f} s", flush=True)
    print(f"{len(tests) - failed} passed, {failed} failed", flush=True)
    return 1 if failed or not tests else 0
