#!/usr/bin/env python3
"""Watches the misses of a live cluster while everything is hidden over a span.

    Tests/Benchmarks/pacing.py MARTLET [--span 30s] [--keys 8000] [--nodes 3] [--kill]

Readers ask for all keys over and over, and store what is missing, as an application with a database
would. Then `martlet invalidate all --over SPAN`; what is told are the misses of each second,
beside as many as an even pacing has. `--kill` ends the publisher by SIGKILL in the middle; it is
started again, and goes on.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Conformance"))

from martlet_client import MartletClient  # noqa: E402
from martlet_protocol import data  # noqa: E402
from martlet_protocol.data import Status  # noqa: E402
from martlet_protocol.header import Type  # noqa: E402

BATCH = 256
SPACE = "default"


def free_port():
    """A place where 64 ports are probably free."""
    for _ in range(100):
        port = random.randrange(20_000, 31_900)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise SystemExit("no free port was found")


class Readers(threading.Thread):
    """Asks for every key in turn and stores what is missing; counts the misses of each second."""

    def __init__(self, endpoint, keys):
        super().__init__(daemon=True)
        self.endpoint, self.keys = endpoint, keys
        self.misses, self.reads = collections.Counter(), 0
        self.failures = 0
        self.ends = False

    def run(self):
        client = MartletClient(self.endpoint)
        while not self.ends:
            order = random.sample(self.keys, len(self.keys))
            for start in range(0, len(order), BATCH):
                if self.ends:
                    break
                self.turn(client, order[start:start + BATCH])
        client.close()

    def turn(self, client, keys):
        answers = client.get_many(keys, SPACE)
        missing = [key for key, answer in zip(keys, answers) if answer.status == Status.MISS]
        self.reads += len(keys)
        self.failures += sum(
            answer.status not in (Status.HIT, Status.MISS) for answer in answers)
        self.misses[int(time.monotonic())] += len(missing)
        if missing:
            client.operate(Type.SET, [data.SetOperation(key, b"v" * 100) for key in missing], SPACE)


def watch(arguments, directory):
    """Runs the cluster, the readers and the order; returns what was seen."""
    ready = directory / "ready.json"
    up = [arguments.martlet, "up", "--nodes", str(arguments.nodes), "--port", str(free_port()),
          "--dir", str(directory), "--ready-file", str(ready), "--respawn=200ms"]
    with open(directory / "up.log", "wb") as log:
        cluster = subprocess.Popen(up, stdout=log, stderr=log)
    try:
        while not ready.exists():
            if cluster.poll() is not None:
                raise SystemExit((directory / "up.log").read_text())
            time.sleep(0.05)
        roles = json.loads(ready.read_text())
        endpoint = roles["publisher"]["endpoint"]
        keys = [b"key-%06d" % number for number in range(arguments.keys)]
        readers = Readers(endpoint, keys)
        readers.start()
        time.sleep(5)
        began = time.monotonic()
        order = subprocess.Popen(
            [arguments.martlet, "invalidate", "all", "--over", arguments.span, "--json", "--yes",
             "--timeout", "10s", "--cluster", endpoint], stdout=subprocess.PIPE, text=True)
        if arguments.kill:
            time.sleep(8)
            os.kill(roles["publisher"]["pid"], signal.SIGKILL)
        output, _ = order.communicate()
        ended = time.monotonic()
        time.sleep(1)
        readers.ends = True
        readers.join(10)
        return readers, json.loads(output), began, ended
    finally:
        cluster.send_signal(signal.SIGTERM)
        cluster.wait(30)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("martlet")
    parser.add_argument("--span", default="30s")
    parser.add_argument("--keys", type=int, default=8_000)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--kill", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        readers, report, began, ended = watch(arguments, pathlib.Path(directory))
    # The first and the last second are not whole.
    seconds = list(range(int(began) + 1, int(ended)))
    rows = [readers.misses[second] for second in seconds]
    mean = sum(rows) / len(rows)
    print(f"{readers.reads} reads, {readers.failures} of them neither hit nor miss")
    print(f"pacing of {arguments.keys} keys took {ended - began:.1f} s, in "
          f"{report['pacing']['slices']} slices; receipt complete: {report['complete']}")
    print(f"misses each second: {' '.join(map(str, rows))}")
    print(f"mean {mean:.0f}; least {min(rows) / mean:.2f}, most {max(rows) / mean:.2f} of it "
          "(asked: 0.8 to 1.2)")
    total = sum(readers.misses[second] for second in range(int(began), int(ended) + 2))
    print(f"misses altogether {total}: {total / arguments.keys:.3f} for each key")


if __name__ == "__main__":
    main()
