"""Members of etcd: started, hurt, backed up and restored."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import urllib.request
from pathlib import Path
from typing import Dict, List, Optional

import paths  # noqa: F401
from clock import Clock
from process_tools import free_ports
from processes import Role, wait_until
from room import Room

SMALL_MEGABYTES = 224
"""A member preallocates two files of 64 MB."""


class Members:
    """Three members of etcd. The data of the first is on a small disk, if one can be mounted."""

    def __init__(self, directory: Path, clock: Clock, count: int = 3) -> None:
        self.directory = directory
        self.names = [f"m{number + 1}" for number in range(count)]
        ports = free_ports(2 * count)
        self.clients = dict(zip(self.names, ports[:count]))
        self.peers = dict(zip(self.names, ports[count:]))
        self.room = Room(directory / "etcd-room", SMALL_MEGABYTES)
        self.roles = {name: Role(name, self._command(name), directory / f"{name}.log", clock)
                      for name in self.names}

    def data(self, name: str) -> Path:
        """The directory of a member's data."""
        parent = self.room.path if name == self.names[0] else self.directory
        return parent / f"{name}.etcd"

    def url(self, name: str) -> str:
        """The endpoint for clients."""
        return f"http://127.0.0.1:{self.clients[name]}"

    def _peer(self, name: str) -> str:
        return f"http://127.0.0.1:{self.peers[name]}"

    def _membership(self, name: str) -> List[str]:
        together = ",".join(f"{each}={self._peer(each)}" for each in self.names)
        return ["--name", name, "--initial-advertise-peer-urls", self._peer(name),
                "--initial-cluster", together, "--data-dir", str(self.data(name))]

    def _command(self, name: str) -> List[str]:
        return ["etcd", *self._membership(name), "--listen-peer-urls", self._peer(name),
                "--listen-client-urls", self.url(name),
                "--advertise-client-urls", self.url(name), "--log-level", "warn"]

    def start(self) -> None:
        """Starts all members."""
        for role in self.roles.values():
            role.start()

    def status(self, name: str) -> Dict:
        """What a member says of itself; empty if it does not answer within a second."""
        request = urllib.request.Request(
            self.url(name) + "/v3/maintenance/status", data=b"{}", method="POST")
        try:
            with urllib.request.urlopen(request, timeout=1) as answer:
                return json.load(answer)
        except (OSError, ValueError):
            return {}

    def leader(self) -> Optional[str]:
        """The name of etcd's leader, if one of them says that it leads."""
        for name in self.names:
            status = self.status(name)
            if status and status["header"]["member_id"] == status.get("leader"):
                return name
        return None

    def alone(self) -> List[str]:
        """The members that do not answer, or know no leader."""
        return [name for name in self.names if int(self.status(name).get("leader", 0)) == 0]

    def await_leader(self) -> str:
        """The name of etcd's leader, once there is one."""
        found: List[str] = []

        def look() -> bool:
            leader = self.leader()
            found.extend([leader] if leader else [])
            return bool(found)

        wait_until("etcd has a leader", 30, look)
        return found[0]

    def control(self, *arguments: str) -> None:
        """Runs etcdctl."""
        done = subprocess.run(
            ["etcdctl", *arguments], env={**os.environ, "ETCDCTL_API": "3"},
            capture_output=True, text=True, timeout=30)
        if done.returncode != 0:
            raise AssertionError(f"etcdctl {' '.join(arguments)} says {done.stderr[-300:]}")

    def save(self, snapshot: Path) -> None:
        """Backs etcd up."""
        snapshot.unlink(missing_ok=True)
        endpoint = self.url(self.await_leader())
        self.control("--endpoints", endpoint, "snapshot", "save", str(snapshot))

    def restore(self, snapshot: Path) -> None:
        """Sets all members, which are down, back to a backup."""
        for name in self.names:
            shutil.rmtree(self.data(name), ignore_errors=True)
            self.control("snapshot", "restore", str(snapshot), *self._membership(name))

    def close(self) -> None:
        """Ends all members and gives the disk back."""
        for role in self.roles.values():
            role.resume()
            role.kill()
        self.room.close()
