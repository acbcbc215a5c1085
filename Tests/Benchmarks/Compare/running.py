"""Child processes that print JSON lines, and the window in which servers are looked at."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import time
from typing import Any, Callable, Dict, List, Optional, Sequence

TICKS = os.sysconf("SC_CLK_TCK")


class Refusal(Exception):
    """Why something could not be measured, in one sentence."""


def processor_seconds(pid: int) -> float:
    """What a process has used of the processors so far, all of its threads."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Child:
    """A process whose standard output is kept in a file; gone at the end of its `with`."""

    def __init__(self, command: Sequence[str], output: pathlib.Path) -> None:
        self.command = [str(word) for word in command]
        self.output = output
        with output.open("wb") as file:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                start_new_session=True)

    def __enter__(self) -> "Child":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def runs(self) -> bool:
        return self.process.poll() is None

    @property
    def text(self) -> str:
        return self.output.read_text(errors="replace")

    @property
    def last_words(self) -> str:
        """The end of what it printed, on one line."""
        return " ".join(self.text.split())[-300:]

    def event(self, name: str) -> Optional[Dict[str, Any]]:
        """The last line so far that tells this event."""
        mark = f'{{"event":"{name}"'
        lines = [line for line in self.text.splitlines(keepends=True) if line.startswith(mark)]
        whole = [line for line in lines if line.endswith("}\n")]
        return json.loads(whole[-1]) if whole else None

    def wait_for(self, name: str, seconds: float) -> Dict[str, Any]:
        """Waits for an event, bounded; refuses if the process ends without it."""
        deadline = time.monotonic() + seconds
        while True:
            runs = self.runs
            if found := self.event(name):
                return found
            if not runs or time.monotonic() > deadline:
                raise Refusal(f"{' '.join(self.command[:4])} … did not come to '{name}': "
                              f"{self.last_words}")
            time.sleep(0.005)

    def finish(self, seconds: float) -> str:
        """Waits for the process to end by itself; what it printed."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.end()
            raise Refusal(f"{self.command[0]} did not end in {seconds:.0f} s") from None
        return self.text

    def end(self, patience: float = 5) -> str:
        """Ends it, by force after so many seconds; what it printed."""
        if self.runs:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(patience)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.text


class Window:
    """What a server counted, and what it used, between two moments of this process's clock."""

    def __init__(self, count: Callable[[], Dict[str, int]], pids: List[int]) -> None:
        self.count, self.pids = count, pids
        self.before = self.look()

    def look(self) -> tuple:
        """Counters and processor time, and the middle of the time that asking took."""
        asked = time.monotonic()
        counted = self.count()
        at = (asked + time.monotonic()) / 2
        return at, counted, sum(map(processor_seconds, self.pids))

    def close(self) -> Dict[str, Any]:
        """Rates a second of every counter, and how many cores the server used."""
        began, first, used = self.before
        ended, last, used_then = self.look()
        seconds = ended - began
        return {"seconds": seconds, "cores": (used_then - used) / seconds,
                "rates": {name: (last[name] - first[name]) / seconds for name in first}}
