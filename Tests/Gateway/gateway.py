"""The gateway, held against proxies and clients that are not ours, and against garbage."""

from __future__ import annotations

import importlib
import inspect
import os
import random
import sys
from typing import Any

import test_runs
from world import end_shared

MODULES = ["clients", "loaded", "proxied", "pushed", "cached", "garbage"]
GARBAGE = "garbage.garbage_on_every_port"


def is_test(found: Any) -> bool:
    """Functions that take the program."""
    return (inspect.isfunction(found)
            and next(iter(inspect.signature(found).parameters), "") == "program"
            and not inspect.isgeneratorfunction(inspect.unwrap(found)))


def main() -> int:
    parser = test_runs.parser()
    parser.add_argument("--garbage", type=float, default=12.0)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--keep")
    options = parser.parse_args()
    if options.keep:
        os.environ["MARTLET_GATEWAY_KEEP"] = options.keep
    modules = [importlib.import_module(name) for name in MODULES]
    tests = test_runs.chosen(test_runs.of_modules(modules, is_test), options)
    if options.list:
        return test_runs.listed(tests)
    program = os.path.abspath(options.program)

    def run(name: str, test: Any) -> Any:
        if name != GARBAGE:
            return test(program)
        print(f"    garbage from --seed {options.seed}, {options.garbage:g} s", flush=True)
        return test(program, options.garbage, options.seed)

    try:
        return test_runs.carried_out(tests, run, lambda: end_shared(AssertionError))
    finally:
        end_shared()


if __name__ == "__main__":
    sys.exit(main())
