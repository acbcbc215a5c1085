"""The gateway, held against proxies and clients that are not ours, and against garbage."""

from __future__ import annotations

import argparse
import importlib
import inspect
import os
import random
import sys
import time
import traceback
from typing import Callable, Dict, List

from world import end_shared

MODULES = ["clients", "loaded", "proxied", "pushed", "cached", "garbage"]
GARBAGE = "garbage.garbage_on_every_port"


def tests() -> Dict[str, Callable[..., object]]:
    """By name, in their order: functions that take the program."""
    return {
        f"{name}.{test.__name__}": test
        for name in MODULES for test in vars(importlib.import_module(name)).values()
        if inspect.isfunction(test) and test.__module__ == name
        and not test.__name__.startswith("_")
        and next(iter(inspect.signature(test).parameters), "") == "program"
        and not inspect.isgeneratorfunction(inspect.unwrap(test))
    }


def is_chosen(name: str, only: List[str]) -> bool:
    """Whether a test is meant, by its whole name or the beginning of it or of its last part."""
    return not only or any(
        name.startswith(each) or name.split(".")[1].startswith(each) for each in only)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--garbage", type=float, default=12.0)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--keep")
    options = parser.parse_args()
    if options.keep:
        os.environ["MARTLET_GATEWAY_KEEP"] = options.keep
    chosen = {name: test for name, test in tests().items() if is_chosen(name, options.only)}
    if options.list:
        print("\n".join(chosen))
        return 0
    try:
        failed = run(chosen, options)
    finally:
        end_shared()
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed or not chosen else 0


def run(chosen: Dict[str, Callable[..., object]], options: argparse.Namespace) -> int:
    """- Returns: how many failed."""
    failed = 0
    for name, test in chosen.items():
        start = time.monotonic()
        more = (options.garbage, options.seed) if name == GARBAGE else ()
        if more:
            print(f"    garbage from --seed {options.seed}, {options.garbage:g} s", flush=True)
        try:
            told = test(os.path.abspath(options.program), *more) or ""
            print(f"  passed  {name}  {told}  {time.monotonic() - start:.1f} s", flush=True)
        except Exception:
            traceback.print_exc()
            failed += 1
            end_shared(AssertionError)
            print(f"  FAILED  {name}  {time.monotonic() - start:.1f} s", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
