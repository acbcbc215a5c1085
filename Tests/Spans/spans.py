"""Spans of a gateway and a node, held against OpenTelemetry's own definitions."""

from __future__ import annotations

import os
import sys

import losing
import test_runs
import trees


def main() -> int:
    parser = test_runs.parser()
    parser.add_argument("--keep")
    options = parser.parse_args()
    if options.keep:
        os.environ["MARTLET_SPANS_KEEP"] = options.keep
    tests = test_runs.chosen(test_runs.of_modules([trees, losing]), options)
    if options.list:
        return test_runs.listed(tests)
    return test_runs.carried_out(tests, lambda _, test: test(options.program))


if __name__ == "__main__":
    sys.exit(main())
