"""Hostile peers against real processes: hostile.py MARTLET [--only NAME …] [--full] [--keep DIR]

One attack follows the other on the same cluster. The last line is `N passed, N failed`: attacks.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import List, Optional

import target  # noqa: F401  (finds the packages below)
import allowed
from checking import Failure, Report
from figures import mebibytes

import exhaustion
import forgeries
import impostors
import members
import rights
import strangers
import tenants
from siege import Attack, Ground, Siege

ATTACKS: List[Attack] = [
    *strangers.ATTACKS, *impostors.ATTACKS, *rights.ATTACKS, *forgeries.ATTACKS,
    *exhaustion.ATTACKS, *members.ATTACKS, *tenants.ATTACKS]
ATTACKS.sort(key=lambda attack: not attack.wants_new)


def arguments() -> argparse.Namespace:
    """What it was told."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the martlet binary")
    parser.add_argument("--only", action="append", default=[], metavar="NAME",
                        help="an attack, or what its name begins with; again for more")
    parser.add_argument("--full", action="store_true", help="more of everything")
    parser.add_argument("--keep", type=Path, help="keep what processes said there")
    parser.add_argument("--list", action="store_true", help="name the attacks and end")
    return parser.parse_args()


class Grounds:
    """The cluster on which attacks are made, and the next one where one was spoilt."""

    def __init__(self, program: str, directory: Path) -> None:
        self._program, self._directory = program, directory
        self._ground: Optional[Ground] = None
        self._made = 0

    def ground(self) -> Ground:
        """Where an attack takes place."""
        if self._ground is None:
            self._made += 1
            self._ground = Ground(self._program, self._directory / f"ground-{self._made}")
        return self._ground

    def leave(self) -> Optional[Path]:
        """What an attack has spoilt is no ground for another. Where its logs are."""
        spoilt, self._ground = self._ground, None
        if spoilt is None:
            return None
        spoilt.close()
        return spoilt.directory


def wage(options: argparse.Namespace, grounds: Grounds, attack: Attack) -> None:
    """An attack. One that only made others slow is made once more, on processes that nobody has
    attacked; one of which something is left, on the same."""
    if attack.wants_new:
        grounds.leave()
    siege: Siege = grounds.ground().wage(attack, options.full)
    for _ in range(allowed.SLOW_MORE):
        if not siege.slow or siege.slow != siege.wrong:
            break
        siege.tell(f"{'; '.join(siege.slow)}: once more, on other processes")
        # What this one has left is not the next one's.
        grounds.leave()
        siege = grounds.ground().wage(attack, options.full)
    siege.end()
    if max(siege.kept.values()) > siege.keeps:
        _once_more(options, grounds, attack, siege)


def _once_more(options: argparse.Namespace, grounds: Grounds, attack: Attack,
               siege: Siege) -> None:
    """The same attack, of which something is left, to see whether that piles up."""
    kept = siege.await_given_back(siege.before)
    siege.end()
    siege.tell(f"kept: {mebibytes(kept)}; once more, to see whether it piles up")
    again = grounds.ground().wage(attack, options.full)
    again.end()
    for name, more in again.kept_since(siege.before).items():
        again.owe(more <= max(siege.keeps, allowed.PILED_FACTOR * siege.took[name]),
                  f"{name} keeps {more / allowed.MEBIBYTE:.1f} MiB after the second time")
    if options.full:
        siege.tell(f"kept in the end: {mebibytes(again.await_given_back(siege.before))}")
    grounds.leave()
    again.end()


def run(options: argparse.Namespace, grounds: Grounds, report: Report, attack: Attack) -> None:
    """An attack, and what is kept of it."""
    began = time.monotonic()
    print(f"{attack.name}:", flush=True)

    def act() -> None:
        try:
            wage(options, grounds, attack)
        except BaseException as error:
            spoilt = grounds.leave()
            if options.keep and spoilt is not None:
                shutil.copytree(spoilt, options.keep / attack.name, dirs_exist_ok=True,
                                ignore=shutil.ignore_patterns("keys", "log", "*.lock"))
            if isinstance(error, AssertionError):
                raise Failure(str(error)) from error
            raise

    report.run(attack.name, act)
    print(f"    {time.monotonic() - began:.1f} s", flush=True)


def main() -> int:
    """Makes the attacks that are asked for."""
    options = arguments()
    if options.list:
        print("\n".join(each.name for each in ATTACKS))
        return 0
    chosen = [each for each in ATTACKS
              if not options.only or any(each.name.startswith(name) for name in options.only)]
    if not chosen:
        print(f"no attack is called {' or '.join(options.only)}", file=sys.stderr)
        return 64
    # An end by a signal is one in order: whatever was started is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    report = Report()
    with tempfile.TemporaryDirectory(prefix="martlet-hostile.") as folder:
        grounds = Grounds(options.program, Path(folder))
        try:
            for attack in chosen:
                run(options, grounds, report, attack)
        finally:
            grounds.leave()
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
