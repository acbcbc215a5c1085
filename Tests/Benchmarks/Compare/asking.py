#!/usr/bin/env python3
"""What deploy/compare is asked for. Read before anything is installed or built."""

from __future__ import annotations

import argparse
import sys
from typing import Callable, NoReturn

ROWS = ["gets", "batches", "sets", "one", "open", "large", "sizes", "shards", "verify",
        "curve", "invalidations", "memory", "misses"]
# The row of misses takes about as long as all others together: it is run when traces are named.
UNLESS_NAMED = [row for row in ROWS if row != "misses"]


def bounded(least: float, most: float, kind: Callable = float) -> Callable[[str], float]:
    def read(text: str) -> float:
        value = kind(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text} is not from {least:g} to {most:g}")
        return value
    read.__name__ = "number"
    return read


class Parser(argparse.ArgumentParser):
    """Ends with 64 where the arguments are wrong, as the programs of this project do."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(64, f"{self.prog}: {message} (try --help)\n")


def parser() -> Parser:
    made = Parser(
        prog="deploy/compare", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Drives Martlet, Redis and memcached in turn on this machine, with the same "
                    "memory, and prints\nratios with their spread. Writes report.md and "
                    "report.json. Installs what is missing.",
        epilog=f"rows: {' '.join(ROWS)}. Exit code: 0 measured, whatever came out; 1 nothing was; "
               "64 refused; 130 Ctrl-C.\nA figure below what is asked is no failure: it is a "
               "result. docs/comparing.md tells what each row measures.")
    made.add_argument("--only", action="append", choices=ROWS, metavar="ROW",
                      help="this row; may repeat (default: all but misses)")
    made.add_argument("--seconds", type=bounded(0.5, 600), default=5,
                      help="of each measurement, after one of warm-up (default: 5)")
    made.add_argument("--rounds", type=bounded(1, 99, int), default=5,
                      help="in paired order: A B C, then C B A (default: 5)")
    made.add_argument("--quick", action="store_true",
                      help="one round of a second over fewer keys: shows that it runs, no more")
    made.add_argument("--keys", type=bounded(1_000, 100_000_000, int), default=1_000_000)
    made.add_argument("--value", type=bounded(16, 100_000, int), default=100, metavar="BYTES")
    made.add_argument("--memory", type=bounded(64, 1 << 20, int), default=1024, metavar="MIB",
                      help="of each server (default: 1024)")
    made.add_argument("--entries", type=bounded(1_000, 100_000_000, int), default=1_000_000,
                      help="of the row memory (default: 1000000)")
    made.add_argument("--traces", nargs="+", default=[], metavar="FILE",
                      help="of the row misses: time,key,size lines packed by gzip; they should "
                           "have sizes")
    made.add_argument("--limit", type=bounded(1, 1 << 20, int), action="append", metavar="MIB",
                      help="of the row misses: Martlet's memory; may repeat (default: 64)")
    made.add_argument("--requests", type=bounded(1, 10**9, int), default=None, metavar="N",
                      help="of each trace at most (default: all)")
    made.add_argument("--node-options", default="", metavar="WORDS",
                      help="added to `martlet up`, in one string")
    made.add_argument("--bench-options", default="", metavar="WORDS",
                      help="added to `martlet bench`, in one string")
    made.add_argument("--martlet", default=None, metavar="PATH",
                      help="this program (default: a release build of this checkout)")
    made.add_argument("--out", default=None, metavar="DIRECTORY",
                      help="where the report goes (default: .build/compare/DATE)")
    made.add_argument("--self-test", action="store_true",
                      help="no servers: the loader against its echoes, and the arithmetic")
    made.add_argument("--list", action="store_true", help="name the rows and end")
    return made


def arguments() -> argparse.Namespace:
    """What was asked for. Ends here with the help, the list of rows, or what is wrong."""
    asked = parser().parse_args()
    if asked.list:
        print("\n".join(ROWS))
        sys.exit(0)
    if "misses" in (asked.only or []) and not asked.traces:
        parser().error("the row misses needs --traces")
    return asked


if __name__ == "__main__":
    arguments()
