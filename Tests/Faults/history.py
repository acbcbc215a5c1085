"""What happened, in order, as far back as is needed to understand a wrong answer."""

from __future__ import annotations

import threading
import time
from collections import deque
from pathlib import Path

EVENTS = 60_000


class History:
    """The newest events of everybody."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.events: deque = deque(maxlen=EVENTS)

    def add(self, who: str, what: str, *more: object) -> None:
        """Something happened just now."""
        with self.lock:
            self.events.append((time.monotonic(), who, what, more))

    def write(self, path: Path) -> None:
        """Writes all of it, an event a line, times in seconds of the machine's steady clock."""
        with self.lock:
            events = list(self.events)
        with open(path, "w", encoding="utf-8") as file:
            for at, who, what, more in events:
                file.write(f"{at:.6f} {who:<10} {what:<10} "
                           + " ".join(str(each) for each in more) + "\n")
