"""A small disk that can be filled."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


class Room:
    """A small disk of its own where one may be mounted, else a directory."""

    def __init__(self, path: Path, megabytes: int) -> None:
        self.path = path
        path.mkdir()
        options = ["-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(path)]
        self.is_small = os.geteuid() == 0 and subprocess.run(
            ["mount", *options], capture_output=True).returncode == 0

    def fill(self) -> None:
        """Leaves no room on it."""
        try:
            with open(self.path / "filler", "wb", buffering=0) as filler:
                while True:
                    filler.write(b"\0" * (64 << 10))
        except OSError:
            pass

    def empty(self) -> None:
        """There is room again."""
        (self.path / "filler").unlink(missing_ok=True)

    def close(self) -> None:
        """Gives it back."""
        if self.is_small:
            subprocess.run(["umount", "-l", str(self.path)], capture_output=True)
