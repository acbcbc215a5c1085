"""Calendars that can be stepped, one for each process."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Dict

PATIENCE = 20.0


class Clock:
    """The wall clock of each process, if libfaketime is there to step it.

    A Swift program looks for its arguments beside its environment, and libfaketime moves that away
    by adding FAKETIME_SHARED to it, unless it finds one. That names a semaphore: each start gets
    one of its own, from a keeper, because whoever is killed while holding it never gives it back.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.library = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
        self.is_there = self.library is not None and shutil.which("faketime") is not None
        self.keepers: Dict[str, subprocess.Popen] = {}

    def environment(self, name: str) -> Dict[str, str]:
        """What has a process live by a calendar of its own; its steady clock is left alone."""
        if not self.is_there:
            return {}
        self._release(name)
        keeper = subprocess.Popen(
            ["faketime", "-f", "+0s", "sh", "-c", "echo $FAKETIME_SHARED; exec cat"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.keepers[name] = keeper
        assert keeper.stdout is not None
        if not self._path(name).exists():
            self.step(name, 0)
        shared = keeper.stdout.readline().strip()
        return {"LD_PRELOAD": str(self.library), "FAKETIME_SHARED": shared,
                "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_CACHE_DURATION": "1",
                "FAKETIME_TIMESTAMP_FILE": str(self._path(name))}

    def step(self, name: str, seconds: int) -> None:
        """Sets its calendar that far off; it notices within a second."""
        new = self._path(name).with_suffix(".new")
        new.write_text(f"{seconds:+d}s\n")
        new.rename(self._path(name))

    def close(self) -> None:
        """Ends the keepers."""
        for name in list(self.keepers):
            self._release(name)

    def _path(self, name: str) -> Path:
        return self.directory / f"{name}.time"

    def _release(self, name: str) -> None:
        keeper = self.keepers.pop(name, None)
        if keeper is not None and keeper.stdin is not None and keeper.stdout is not None:
            keeper.stdin.close()
            keeper.stdout.close()
            keeper.wait(PATIENCE)
