"""What harnesses need that start real processes on loopback."""

from __future__ import annotations

import shutil
import socket
import time
from typing import Callable, List

PATIENCE = 20.0
WITH_US = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
"""What has a process end when the harness does, even if that was killed."""


def free_ports(count: int) -> List[int]:
    """Ports on loopback that nobody has now."""
    held = [socket.socket() for _ in range(count)]
    try:
        for each in held:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in held]
    finally:
        for each in held:
            each.close()


def wait_until(what: str, is_so: Callable[[], bool], patience: float = PATIENCE) -> None:
    """Waits for something that is to become so."""
    end = time.monotonic() + patience
    while not is_so():
        assert time.monotonic() < end, f"it took longer than {patience} s until {what}"
        time.sleep(0.02)
