"""The echo: a server of our own that answers as another would, and looks nothing up."""

from __future__ import annotations

import pathlib
import signal
import tempfile
import time
from typing import Any, Dict

import systems
from key_pair import KeyPair
from running import Child, Refusal

PATIENCE = 10


class Echo(systems.System):
    """A running echo. With keys it lets in the holder of one key, which the loader is given."""

    def __init__(self, programs: pathlib.Path, folder: pathlib.Path, kind: str, value: int,
                 with_keys: bool = False) -> None:
        self.protocol = kind
        self.name = f"echo ({kind}){' with keys' if with_keys else ''}"
        mine = pathlib.Path(tempfile.mkdtemp(prefix="echo.", dir=folder))
        command = [programs / "echo", kind, value]
        if with_keys:
            self.key_file = self.key(mine, "loader.key")
            command += [self.key(mine, "echo.key"), KeyPair.read(self.key_file).public.hex()]
        self.child = Child(command, mine / "out")
        self.address = self.child.wait_for("listens", 30)["endpoint"]
        self.pids = [self.child.pid]

    @staticmethod
    def key(folder: pathlib.Path, name: str) -> pathlib.Path:
        """A file with a new pair."""
        KeyPair.made().write(folder / name)
        return folder / name

    def counters(self) -> Dict[str, int]:
        """What it has answered so far: everything was there, everything was stored."""
        told = self.told()
        self.child.process.send_signal(signal.SIGUSR1)
        deadline = time.monotonic() + PATIENCE
        while (counts := self.child.event("counts") or {"told": 0})["told"] == told:
            if not self.child.runs or time.monotonic() > deadline:
                raise Refusal(f"{self.name} does not tell what it has answered")
            time.sleep(0.001)
        return {"gets": counts["keys"], "hits": counts["keys"], "sets": counts["keys"],
                "commands": counts["messages"]}

    def told(self) -> int:
        """How often it has told so far."""
        return (self.child.event("counts") or {"told": 0})["told"]

    def close(self) -> None:
        self.end()

    def end(self) -> Dict[str, Any]:
        """Ends it; what it told at the end."""
        self.child.end()
        return self.child.wait_for("ended", 1)
