#!/usr/bin/env python3
"""How long it takes until the slots of a node that joins, or is killed, have other owners.

usage: Tests/Benchmarks/slots_converge.py PROGRAM [--nodes N] [--rounds N]

Starts a publisher on this machine, and N nodes of 16 MiB that join it (64). Then, N times (3),
another one joins and is killed. A moment counts once `martlet status` says so, which itself takes
part of the time. Prints a line for each, and ends what it started.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Harness"))

from process_tools import WITH_US, free_ports  # noqa: E402

PATIENCE = 60
# Processes that start together take turns on the processors.
PATIENCE_EACH = 0.5


class Cluster:
    def __init__(self, program, folder, count):
        self.program, self.folder = program, folder
        self.patience = PATIENCE + PATIENCE_EACH * count
        control, self.live = ("tcp://127.0.0.1:{}".format(port) for port in free_ports(2))
        self.endpoint = control
        self.processes = []
        self.start("publisher", "publisher", "--topology", "slots", "--membership", "open",
                   "--nodes", "0", "--log", str(folder / "log"), "--bind", control,
                   "--live", self.live)

    def start(self, name, *arguments):
        with open(self.folder / (name + ".log"), "w", encoding="utf-8") as log:
            self.processes.append(subprocess.Popen(
                [*WITH_US, self.program, *arguments], stdout=log, stderr=log))
        return self.processes[-1]

    def join(self, name):
        return self.start(name, "node", "--id", name, "--join", "--memory", "16MiB",
                          "--publisher", self.endpoint, "--live", self.live)

    def run(self, *arguments):
        return subprocess.run(
            [self.program, *arguments, "--cluster", self.endpoint],
            capture_output=True, text=True, check=False).stdout

    def shares(self):
        """How many slots each node has; empty while any has no owner that answers."""
        told = json.loads(self.run("status", "--json") or "{}").get("publisher", {})
        figures = told.get("figures", {})
        if figures.get("slots_waiting", 1) > 0:
            return {}
        return {name[6:]: count for name, count in figures.items() if name.startswith("slots:")}

    def wait(self, is_there):
        """Seconds until it is so, and the shares then."""
        began = time.monotonic()
        while time.monotonic() - began < self.patience:
            shares = self.shares()
            if shares and is_there(shares):
                return time.monotonic() - began, shares
            time.sleep(0.01)
        sys.exit("not within {} s; the logs are in {}".format(self.patience, self.folder))

    def round(self):
        node = self.join("extra")
        seconds, shares = self.wait(lambda each: each.get("extra", 0) > 0)
        print("joined: {:.2f} s; slots of a node {} to {}".format(
            seconds, min(shares.values()), max(shares.values())), flush=True)
        node.kill()
        node.wait()
        seconds, _ = self.wait(lambda each: each.get("extra", 0) == 0)
        print("killed: {:.2f} s".format(seconds), flush=True)
        self.run("forget", "extra")

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--nodes", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="martlet-slots.") as place:
        cluster = Cluster(options.program, pathlib.Path(place), options.nodes)
        try:
            for number in range(options.nodes):
                cluster.join("n{}".format(number + 1))
            cluster.wait(lambda each: len(each) == options.nodes and min(each.values()) > 0)
            for _ in range(options.rounds):
                cluster.round()
        finally:
            cluster.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
