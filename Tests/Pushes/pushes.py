"""The stream of a gateway, held against clients that are not ours."""

from __future__ import annotations

import asyncio
import os
import sys

import frames
import subscribing
import surviving
import test_runs


def main() -> int:
    parser = test_runs.parser()
    parser.add_argument("--load", action="store_true")
    parser.add_argument("--keep")
    options = parser.parse_args()
    if options.keep:
        os.environ["MARTLET_PUSHES_KEEP"] = options.keep
    modules = [subscribing, frames, surviving]
    if options.load:
        import load

        modules.append(load)
    tests = test_runs.chosen(
        test_runs.of_modules(modules, asyncio.iscoroutinefunction), options)
    if options.list:
        return test_runs.listed(tests)
    return test_runs.carried_out(tests, lambda _, test: asyncio.run(test(options.program)))


if __name__ == "__main__":
    sys.exit(main())
