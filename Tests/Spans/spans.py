"""Spans of a gateway, held against OpenTelemetry's own definitions."""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
from typing import Callable, Dict, List

import losing
import trees


def tests() -> Dict[str, Callable[[str], None]]:
    """By name, in their order."""
    return {
        f"{module.__name__}.{name}": test
        for module in (trees, losing) for name, test in vars(module).items()
        if callable(test) and getattr(test, "__module__", "") == module.__name__
        and not name.startswith("_")
    }


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--keep")
    options = parser.parse_args()
    if options.keep:
        os.environ["MARTLET_SPANS_KEEP"] = options.keep
    failed: List[str] = []
    chosen = [
        (name, test) for name, test in tests().items()
        if not options.only or any(
            name.startswith(each) or name.split(".")[1].startswith(each) for each in options.only)
    ]
    for name, test in chosen:
        if options.list:
            print(name)
            continue
        start = time.monotonic()
        try:
            test(options.program)
            print(f"  passed  {name}  {time.monotonic() - start:.1f} s")
        except Exception:
            traceback.print_exc()
            failed.append(name)
            print(f"  FAILED  {name}  {time.monotonic() - start:.1f} s")
    if options.list:
        return 0
    print(f"{len(chosen) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
