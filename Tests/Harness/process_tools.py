"""What harnesses need that start real processes on loopback."""

from __future__ import annotations

import random
import shutil
import socket
import time
from typing import Callable, List

PATIENCE = 20.0
PORTS = (10_000, 20_000)
RESERVED: List[socket.socket] = []
"""What keeps the ports that were given out."""
WITH_US = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
"""What has a process end when the harness does, even if that was killed."""


def free_ports(count: int) -> List[int]:
    """Ports on loopback that belong to this process until it ends.

    A server that is killed and started again needs its port back. So the ports are neither those
    that the system gives to outgoing connections, nor those that other suites take for clusters
    (from 20000 on), and a socket that never listens stays bound to each: a server that sets
    SO_REUSEADDR, as all of ours do, can listen there, and no other call of this function takes it.
    """
    held: List[socket.socket] = []
    while len(held) < count:
        trial = socket.socket()
        try:
            trial.bind(("127.0.0.1", random.randrange(*PORTS)))
        except OSError:
            trial.close()
            continue
        # Only now: with the option the bind would share a port that another process has reserved.
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.append(trial)
    RESERVED.extend(held)
    return [each.getsockname()[1] for each in held]


def wait_until(what: str, is_so: Callable[[], bool], patience: float = PATIENCE) -> None:
    """Waits for something that is to become so."""
    end = time.monotonic() + patience
    while not is_so():
        assert time.monotonic() < end, f"it took longer than {patience} s until {what}"
        time.sleep(0.02)
