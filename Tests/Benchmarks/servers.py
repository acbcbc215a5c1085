#!/usr/bin/env python3
"""Holds the memory and the hit ratio of a running node against Redis and memcached.

    Tests/Benchmarks/servers.py memory [--entries 1000000] [--full] [--json]
    Tests/Benchmarks/servers.py replay TRACE.csv.gz... --limit 64 [--requests N] [--json]

`memory` fills each server with entries of 24 bytes of key and 100 of value and tells by how much
its process grew for each, less those 124 bytes; `--full` adds a time to live, and for Martlet a
version and one tag, which the others do not have. `replay` asks for the keys of a trace as an
application with a database would: what is missed is stored with a value of the size the trace
names. It tells the miss ratio and the memory of the process: at the end, of that without the pages
of programs and libraries, and at its greatest. `--json` writes an object a line instead of a table.

Redis and memcached are run where they are installed, and left out where not; all on loopback,
one after the other, with one thread each and nothing written to disk. Needs pyzmq.
"""

import argparse
import contextlib
import ctypes
import gzip
import itertools
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Conformance"))

from martlet_client import MartletClient  # noqa: E402
from key_pair import KeyPair  # noqa: E402
from martlet_protocol import data  # noqa: E402
from martlet_protocol.header import Type  # noqa: E402
from martlet_protocol.reading import U64  # noqa: E402

KEY_BYTES = 24
VALUE_BYTES = 100
BATCH = 32
DAY = 86_400


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def free_ports(count=64):
    """The first of so many consecutive ports that are free now."""
    for _ in range(200):
        first = random.randrange(20_000, 32_000 - count)
        with contextlib.ExitStack() as held:
            try:
                for port in range(first, first + count):
                    probe = held.enter_context(socket.socket())
                    probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return first
    raise SystemExit(f"no {count} consecutive ports are free")


def key_of(number):
    return b"%016x%08x" % (number * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF, number)


def resident(pid, kind="VmRSS"):
    """Bytes in memory; of kind RssAnon without the pages of programs and libraries."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(status.split(kind + ":")[1].split()[0]) * 1024


def ends_with_us():
    """In a child before it becomes a server: it is to end when this process does, however."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


# A session of its own: Ctrl-C comes to this process alone, which then ends its servers in order.
APART = {"start_new_session": True,
         "preexec_fn": ends_with_us if sys.platform == "linux" else None}


class Server:
    """A server process and one connection to it; gone at the end of its `with`."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def connect(self, port):
        for _ in range(200):
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
                self.answers = self.socket.makefile("rb")
                return
            except OSError:
                time.sleep(0.05)
        self.close()
        raise SystemExit(f"{self.name} does not listen on port {port}")

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Redis(Server):
    def __init__(self, limit, policy):
        self.name = f"Redis allkeys-{policy}"
        self.port = port = free_port()
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "",
             "--appendonly", "no", "--maxmemory", str(limit),
             "--maxmemory-policy", f"allkeys-{policy}"],
            stdout=subprocess.DEVNULL, **APART)
        self.pid = self.process.pid
        self.connect(port)

    @staticmethod
    def command(*parts):
        return b"*%d\r\n" % len(parts) + b"".join(
            b"$%d\r\n%b\r\n" % (len(part), part) for part in parts)

    def set(self, items, full=False):
        more = (b"EX", b"%d" % DAY) if full else ()
        self.socket.sendall(
            b"".join(self.command(b"SET", key, value, *more) for key, value in items))
        for _ in items:
            self.answers.readline()

    def get(self, keys):
        self.socket.sendall(b"".join(self.command(b"GET", key) for key in keys))
        return [self.read_bulk() for _ in keys]

    def read_bulk(self):
        length = int(self.answers.readline()[1:])
        if length >= 0:
            self.answers.read(length + 2)
        return length >= 0


class Memcached(Server):
    def __init__(self, limit):
        self.name = "memcached"
        self.port = port = free_port()
        self.process = subprocess.Popen(
            ["memcached", "-l", "127.0.0.1", "-p", str(port), "-U", "0", "-t", "1",
             "-m", str(max(1, limit >> 20)), "-I", "8m", "-u", "nobody"],
            **APART)
        self.pid = self.process.pid
        self.connect(port)

    def set(self, items, full=False):
        life = DAY if full else 0
        self.socket.sendall(
            b"".join(b"set %b 0 %d %d\r\n%b\r\n" % (key, life, len(value), value)
                     for key, value in items))
        for _ in items:
            self.answers.readline()

    def get(self, keys):
        self.socket.sendall(b"get " + b" ".join(keys) + b"\r\n")
        found = set()
        while (line := self.answers.readline()) != b"END\r\n":
            _, key, _, length = line.split()
            self.answers.read(int(length) + 2)
            found.add(key)
        return [key in found for key in keys]


class Martlet(Server):
    def __init__(self, limit, martlet, options=("--nodes", "1"), secure=False):
        self.name = "Martlet"
        self.folder = tempfile.TemporaryDirectory()
        ready = pathlib.Path(self.folder.name, "ready.json")
        cluster = pathlib.Path(self.folder.name, "cluster")
        if secure:
            options = [*options, "--secure", "--dir", str(cluster)]
        # The ports after the publisher's are used as well; a stranger on one is a clear error.
        self.process = subprocess.Popen(
            [martlet, "up", *options, "--memory", f"{limit}B", "--port", str(free_ports()),
             "--ready-file", str(ready)],
            stdout=subprocess.DEVNULL, **APART)
        try:
            self.wait_for(ready)
            self.report = json.loads(ready.read_text())
            # With a key for itself and one for programs, which may not ask for figures.
            self.program_key = cluster / "keys" / "app.key" if secure else None
            keys = KeyPair.read(cluster / "keys" / "admin.key") if secure else None
            self.client = MartletClient(
                self.report["publisher"]["endpoint"], timeout=30, keys=keys)
        except BaseException:
            super().close()
            self.folder.cleanup()
            raise
        self.pid = self.report["nodes"][0]["pid"]

    def wait_for(self, ready):
        deadline = time.monotonic() + 60
        while not ready.exists():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit("martlet up did not start")
            time.sleep(0.05)

    def set(self, items, full=False):
        # A frame has a mebibyte; what does not fit into one goes in parts.
        for key, value in [item for item in items if len(item[1]) > 500_000]:
            self.client.set_large(key, value)
        small = [item for item in items if len(item[1]) <= 500_000]
        bytes_in_turn, turn = 0, []
        for item in small:
            if bytes_in_turn + len(item[1]) > 900_000:
                self.set_some(turn, full)
                bytes_in_turn, turn = 0, []
            turn.append(item)
            bytes_in_turn += len(item[1]) + 100
        if turn:
            self.set_some(turn, full)

    def set_some(self, items, full):
        operations = [
            data.SetOperation(key, value, ttl=U64(DAY * 1_000), version=U64(1), tags=[key[:13]])
            if full else data.SetOperation(key, value) for key, value in items]
        self.client.operate(Type.SET, operations)

    def get(self, keys):
        answers = self.client.operate(Type.GET, [data.GetOperation(key) for key in keys])
        open = [key for key, answer in zip(keys, answers)
                if answer.status == data.Status.DEFERRED]
        again = dict(zip(open, self.client.get_many(open))) if open else {}
        return [again.get(key, answer).status == data.Status.HIT
                for key, answer in zip(keys, answers)]

    def close(self):
        self.client.close()
        super().close()
        self.folder.cleanup()


def servers(limit, martlet, policies):
    yield lambda: Martlet(limit, martlet)
    for policy in policies if shutil.which("redis-server") else ():
        yield lambda: Redis(limit, policy)
    if shutil.which("memcached"):
        yield lambda: Memcached(limit)


def batches(items, size):
    iterator = iter(items)
    while batch := list(itertools.islice(iterator, size)):
        yield batch


def memory(arguments):
    value = b"v" * VALUE_BYTES
    if not arguments.json:
        print(f"{'':26}{'bytes beyond key and value':>28}   ({arguments.entries} entries"
              f"{', with TTL' if arguments.full else ''})")
    for make in servers(2 << 30, arguments.martlet, ("lru",)):
        with make() as server:
            server.set([(key_of(0), value)], arguments.full)
            before = resident(server.pid)
            for batch in batches(range(1, arguments.entries), 256):
                server.set([(key_of(number), value) for number in batch], arguments.full)
            time.sleep(2)
            grown = resident(server.pid) - before
        beyond = grown / arguments.entries - KEY_BYTES - VALUE_BYTES
        if arguments.json:
            print(json.dumps({"server": server.name, "bytes_beyond": beyond}), flush=True)
        else:
            print(f"{server.name:26}{beyond:28.1f}")


def requests(path, most):
    with gzip.open(path, "rt") as lines:
        for line in itertools.islice(lines, most):
            fields = line.split(",")
            if fields[0][:1].isdigit():
                yield fields[1], int(fields[2])


def replay(arguments):
    for path in arguments.traces:
        if not arguments.json:
            print(f"{pathlib.Path(path).name}, limit {arguments.limit} MiB")
            print(f"  {'':24}{'miss ratio':>12}{'MiB at end':>12}{'anonymous':>12}{'greatest':>12}")
        for make in servers(arguments.limit << 20, arguments.martlet, ("lru", "lfu")):
            with make() as server:
                numbers, asked, missed, greatest = {}, 0, 0, 0
                for batch in batches(requests(path, arguments.requests), BATCH):
                    sizes = {key_of(numbers.setdefault(key, len(numbers))): size
                             for key, size in batch}
                    names = [key_of(numbers[key]) for key, _ in batch]
                    absent = [name for name, hit in zip(names, server.get(names)) if not hit]
                    asked += len(names)
                    missed += len(absent)
                    if absent:
                        server.set([(name, b"v" * sizes[name]) for name in dict.fromkeys(absent)])
                    if asked % (BATCH * 512) == 0:
                        greatest = max(greatest, resident(server.pid))
                end, anonymous = resident(server.pid), resident(server.pid, "RssAnon")
            if arguments.json:
                print(json.dumps({"server": server.name, "trace": pathlib.Path(path).name,
                                  "limit_mib": arguments.limit, "requests": asked,
                                  "miss_ratio": missed / asked, "rss_bytes": end,
                                  "anonymous_bytes": anonymous}), flush=True)
            else:
                print(f"  {server.name:24}{missed / asked:12.4f}{end / 2**20:12.1f}"
                      f"{anonymous / 2**20:12.1f}{max(end, greatest) / 2**20:12.1f}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--martlet", default=str(ROOT / ".build" / "release" / "martlet"))
    commands = parser.add_subparsers(required=True)
    of_memory = commands.add_parser("memory")
    of_memory.add_argument("--entries", type=int, default=1_000_000)
    of_memory.add_argument("--full", action="store_true")
    of_memory.add_argument("--json", action="store_true")
    of_memory.set_defaults(run=memory)
    of_replay = commands.add_parser("replay")
    of_replay.add_argument("traces", nargs="+")
    of_replay.add_argument("--limit", type=int, required=True, help="MiB")
    of_replay.add_argument("--requests", type=int, default=None)
    of_replay.add_argument("--json", action="store_true")
    of_replay.set_defaults(run=replay)
    arguments = parser.parse_args()
    # So that whoever started this can end it, and the servers with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    arguments.run(arguments)


if __name__ == "__main__":
    main()
