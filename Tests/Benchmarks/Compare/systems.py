"""Martlet, Redis and memcached as running servers: where they listen and what they count.

The servers themselves are started by servers.py, beside this directory; here is what else a
comparison of rates needs.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
from typing import Dict, List, Optional

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import servers  # noqa: E402
from martlet_client import NoAnswer, ServerError  # noqa: E402
from running import Refusal  # noqa: E402

# What ends one measurement and not the comparison.
FAILURES = (Refusal, NoAnswer, ServerError, OSError)


class System:
    """A running server. `hits`, `gets`, `sets` and `commands` are what it counts by itself."""

    protocol = ""
    name = ""
    # Of `martlet keygen`, for the loader; None where nobody is asked who they are.
    key_file: Optional[pathlib.Path] = None

    def __init__(self, server: servers.Server, address: str) -> None:
        self.server, self.address = server, address
        self.pids: List[int] = [server.pid]

    def counters(self) -> Dict[str, int]:
        raise NotImplementedError

    def close(self) -> None:
        self.server.close()


class Redis(System):
    protocol, name = "resp", "Redis"

    def __init__(self, memory: int) -> None:
        server = servers.Redis(memory, "lru")
        super().__init__(server, f"127.0.0.1:{server.port}")

    def counters(self) -> Dict[str, int]:
        self.server.socket.sendall(self.server.command(b"INFO", b"stats"))
        length = int(self.server.answers.readline()[1:])
        return redis_counters(self.server.answers.read(length + 2).decode())


class Memcached(System):
    protocol, name = "text", "memcached"

    def __init__(self, memory: int) -> None:
        server = servers.Memcached(memory)
        super().__init__(server, f"127.0.0.1:{server.port}")

    def counters(self) -> Dict[str, int]:
        self.server.socket.sendall(b"stats\r\n")
        lines = []
        while (line := self.server.answers.readline().decode()) != "END\r\n":
            lines.append(line)
        return memcached_counters("".join(lines))


class Martlet(System):
    protocol, name = "martlet", "Martlet"

    def __init__(self, memory: int, martlet: str, options: List[str],
                 secure: bool = False) -> None:
        server = servers.Martlet(memory, martlet, ["--nodes", "1", *options], secure)
        if secure:
            self.name, self.key_file = "Martlet with keys", server.program_key
        endpoints = server.report["nodes"][0]["endpoints"]
        super().__init__(server, endpoints[0])
        self.endpoints = endpoints
        self.publisher = server.report["publisher"]["endpoint"]
        self.shards = len(endpoints)

    def counters(self) -> Dict[str, int]:
        # As `martlet status --json` shows them, without a process of its own for each look.
        # Each shard tells its own.
        sums = dict.fromkeys(("gets", "hits", "sets", "messages"), 0)
        for endpoint in self.endpoints:
            report = self.server.client.status(endpoint)
            for figure in report.figures:
                if figure.name in sums:
                    sums[figure.name] += figure.value
        return {"gets": sums["gets"], "hits": sums["hits"], "sets": sums["sets"],
                "commands": sums["messages"]}


def redis_counters(info: str) -> Dict[str, int]:
    """What `INFO stats` says. Redis counts keys that were looked up, and commands, not sets."""
    found = {name: int(value) for name, value in re.findall(r"^(\w+):(\d+)\r?$", info, re.M)}
    commands = found["total_commands_processed"]
    hits, misses = found["keyspace_hits"], found["keyspace_misses"]
    return {"gets": hits + misses, "hits": hits, "sets": commands, "commands": commands}


def memcached_counters(stats: str) -> Dict[str, int]:
    """What `stats` says."""
    found = dict(re.findall(r"^STAT (\w+) (\S+)\r?$", stats, re.M))
    gets, sets = int(found["cmd_get"]), int(found["cmd_set"])
    return {"gets": gets, "hits": int(found["get_hits"]), "sets": sets, "commands": gets + sets}


def versions(martlet: str) -> Dict[str, str]:
    """What is compared, each as it names itself."""
    def first_line(*command: str) -> str:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        return (done.stdout or done.stderr).strip().splitlines()[0]

    import zmq
    return {"Martlet": first_line(martlet, "--version"),
            "Redis": first_line("redis-server", "--version"),
            "memcached": first_line("memcached", "--version"),
            "libzmq": zmq.zmq_version()}
