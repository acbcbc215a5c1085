#!/usr/bin/env python3
"""How long it takes until the slots of a node that joins, or is killed, have other owners.

usage: Tests/Benchmarks/slots_converge.py PROGRAM [--nodes N] [--rounds N]

Starts `martlet up --topology slots` on this machine with N nodes of 16 MiB (64), and then, N times
(3), a node that joins and is killed. A moment counts once `martlet status` says so, which itself
takes part of the time. Prints a line for each; ends what it started.
"""

import argparse
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

PATIENCE = 60


def free_port(count):
    """The first of so many ports in a row that are free now."""
    for first in range(24_000, 31_000, 100):
        held = []
        try:
            for port in range(first, first + count):
                held.append(socket.socket())
                held[-1].bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
        finally:
            for each in held:
                each.close()
    sys.exit("no free ports in a row")


class Cluster:
    def __init__(self, program, port):
        self.program = program
        self.endpoint = "tcp://127.0.0.1:{}".format(port)

    def run(self, *arguments):
        return subprocess.run(
            [self.program, *arguments, "--cluster", self.endpoint],
            capture_output=True, text=True, check=False).stdout

    def shares(self):
        """How many slots each node has; empty while any has no owner that answers."""
        figures = json.loads(self.run("status", "--json"))["publisher"]["figures"]
        if figures["slots_waiting"] > 0:
            return {}
        return {name[6:]: count for name, count in figures.items() if name.startswith("slots:")}

    def wait(self, is_there):
        """Seconds until it is so, and the shares then."""
        began = time.monotonic()
        while time.monotonic() - began < PATIENCE:
            shares = self.shares()
            if shares and is_there(shares):
                return time.monotonic() - began, shares
            time.sleep(0.01)
        sys.exit("not within {} s".format(PATIENCE))

    def join_and_die(self, folder):
        with open(folder / "extra.log", "w", encoding="utf-8") as log:
            node = subprocess.Popen(
                [self.program, "node", "--id", "extra", "--join", "--memory", "16MiB",
                 "--publisher", self.endpoint], stdout=log, stderr=log)
            try:
                seconds, shares = self.wait(lambda each: each.get("extra", 0) > 0)
                print("joined: {:.2f} s; slots of a node {} to {}".format(
                    seconds, min(shares.values()), max(shares.values())), flush=True)
            finally:
                node.kill()
                node.wait()
        seconds, _ = self.wait(lambda each: each.get("extra", 0) == 0)
        print("killed: {:.2f} s".format(seconds), flush=True)
        self.run("forget", "extra")


def main():
    parser = argparse.ArgumentParser(description=__doc__, add_help=True)
    parser.add_argument("program")
    parser.add_argument("--nodes", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    cluster = Cluster(options.program, free_port(200))
    with tempfile.TemporaryDirectory(prefix="martlet-slots.") as place:
        folder = pathlib.Path(place)
        ready = folder / "ready.json"
        with open(folder / "up.log", "w", encoding="utf-8") as log:
            up = subprocess.Popen(
                [options.program, "up", "--nodes", str(options.nodes), "--topology", "slots",
                 "--memory", "16MiB", "--port", cluster.endpoint.rsplit(":", 1)[1],
                 "--dir", str(folder / "cluster"), "--ready-file", str(ready)],
                stdout=log, stderr=log)
        try:
            began = time.monotonic()
            while not ready.exists():
                if up.poll() is not None or time.monotonic() - began > PATIENCE:
                    sys.exit((folder / "up.log").read_text(encoding="utf-8"))
                time.sleep(0.1)
            cluster.wait(lambda each: len(each) == options.nodes and min(each.values()) > 0)
            for _ in range(options.rounds):
                cluster.join_and_die(folder)
        finally:
            up.terminate()
            up.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
