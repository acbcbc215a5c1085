"""The dashboard of a gateway, held in a real browser."""

from __future__ import annotations

import os
import sys

import acting
import coherent
import failing
import showing
import test_runs
from browser import Browser


def main() -> int:
    parser = test_runs.parser()
    parser.add_argument("--shots")
    options = parser.parse_args()
    if options.shots:
        os.makedirs(options.shots, exist_ok=True)
        os.environ["MARTLET_SHOTS"] = options.shots
    tests = test_runs.chosen(
        test_runs.of_modules([showing, acting, failing, coherent]), options)
    if options.list:
        return test_runs.listed(tests)
    browser = Browser()
    try:
        return test_runs.carried_out(tests, lambda _, test: test(options.program, browser))
    finally:
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
