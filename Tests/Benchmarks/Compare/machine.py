"""On what the figures were taken."""

from __future__ import annotations

import datetime
import os
import pathlib
import platform
import re
import subprocess
from typing import Dict


def described(root: pathlib.Path) -> Dict[str, str]:
    """The machine, its system, how busy it was at the beginning, and the commit."""
    return {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
            "processor": f"{os.cpu_count()} × {model()}",
            "memory": f"{memory_gib():.0f} GiB",
            "system": f"{distribution()}, {platform.system()} {platform.release()}",
            "load at the beginning": load(),
            "commit": commit(root)}


def load() -> str:
    """How many wanted a core in the last 1, 5 and 15 minutes."""
    return " ".join(f"{part:.1f}" for part in os.getloadavg())


def model() -> str:
    found = re.search(r"^model name\s*: (.*)$", read("/proc/cpuinfo"), re.M)
    return found.group(1) if found else platform.machine()


def memory_gib() -> float:
    found = re.search(r"^MemTotal:\s*(\d+) kB", read("/proc/meminfo"), re.M)
    return int(found.group(1)) / 2**20 if found else 0.0


def distribution() -> str:
    found = re.search(r'^PRETTY_NAME="?([^"\n]*)', read("/etc/os-release"), re.M)
    return found.group(1) if found else platform.platform()


def commit(root: pathlib.Path) -> str:
    done = subprocess.run(["git", "-C", str(root), "describe", "--always", "--dirty"],
                          capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def read(path: str) -> str:
    try:
        return pathlib.Path(path).read_text()
    except OSError:
        return ""
