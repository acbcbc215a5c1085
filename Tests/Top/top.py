"""`martlet top`, looked at as somebody at a terminal does."""

from __future__ import annotations

import sys

import giving_back
import showing
import slow_lines
import surviving
import test_runs


def main() -> int:
    options = test_runs.parser().parse_args()
    tests = test_runs.chosen(
        test_runs.of_modules([showing, giving_back, slow_lines, surviving]), options)
    if options.list:
        return test_runs.listed(tests)
    return test_runs.carried_out(tests, lambda _, test: test(options.program))


if __name__ == "__main__":
    sys.exit(main())
