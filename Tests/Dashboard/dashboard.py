"""The dashboard of a gateway, held in a real browser."""

from __future__ import annotations

import argparse
import inspect
import os
import sys
import time
import traceback
from typing import Callable, Dict, List

import acting
import coherent
import failing
import showing
from browser import Browser

Test = Callable[[str, Browser], None]


def tests() -> Dict[str, Test]:
    """By name, in their order."""
    return {
        f"{module.__name__}.{name}": test
        for module in (showing, acting, failing, coherent) for name, test in vars(module).items()
        if inspect.isfunction(test) and test.__module__ == module.__name__
        and not name.startswith("_")
    }


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--shots")
    options = parser.parse_args()
    if options.shots:
        os.makedirs(options.shots, exist_ok=True)
        os.environ["MARTLET_SHOTS"] = options.shots
    chosen = [
        (name, test) for name, test in tests().items()
        if not options.only or any(
            name.startswith(each) or name.split(".")[1].startswith(each) for each in options.only)
    ]
    if options.list:
        print("\n".join(name for name, _ in chosen))
        return 0
    failed: List[str] = []
    browser = Browser()
    try:
        for name, test in chosen:
            start = time.monotonic()
            try:
                test(options.program, browser)
                print(f"  passed  {name}  {time.monotonic() - start:.1f} s")
            except Exception:
                traceback.print_exc()
                failed.append(name)
                print(f"  FAILED  {name}  {time.monotonic() - start:.1f} s")
    finally:
        browser.close()
    print(f"{len(chosen) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
