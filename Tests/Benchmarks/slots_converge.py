#!/usr/bin/env python3
"""How long it takes until the slots of a node that joins, or is killed, have other owners.

usage: Tests/Benchmarks/slots_converge.py PROGRAM [--nodes N] [--rounds N]

Starts a publisher on this machine, and N nodes of 16 MiB that join it (64). Then, N times (3),
another one joins and is killed. A moment counts once the publisher's metrics say so: these ask no
node. Prints a line for each, with the processor time of all processes meanwhile, and ends what it
started.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Harness"))

from process_tools import WITH_US, free_ports  # noqa: E402

PATIENCE = 60
# Processes that start together take turns on the processors.
PATIENCE_EACH = 0.5


class Cluster:
    def __init__(self, program, folder, count):
        self.program, self.folder = program, folder
        self.patience = PATIENCE + PATIENCE_EACH * count
        control, live, self.http = free_ports(3)
        self.endpoint, self.live = ("tcp://127.0.0.1:{}".format(port) for port in (control, live))
        self.processes = []
        self.start("publisher", "publisher", "--topology", "slots", "--membership", "open",
                   "--nodes", "0", "--log", str(folder / "log"), "--bind", self.endpoint,
                   "--live", self.live, "--http", str(self.http))

    def start(self, name, *arguments):
        with open(self.folder / (name + ".log"), "w", encoding="utf-8") as log:
            self.processes.append(subprocess.Popen(
                [*WITH_US, self.program, *arguments], stdout=log, stderr=log))
        return self.processes[-1]

    def join(self, name):
        return self.start(name, "node", "--id", name, "--join", "--memory", "16MiB",
                          "--publisher", self.endpoint, "--live", self.live)

    def forget(self, name):
        subprocess.run([self.program, "forget", name, "--cluster", self.endpoint],
                       capture_output=True, check=False)

    def shares(self):
        """How many slots each node has; empty while any has no owner that answers."""
        try:
            with urllib.request.urlopen(
                    "http://127.0.0.1:{}/metrics".format(self.http), timeout=5) as answer:
                text = answer.read().decode()
        except OSError:
            return {}
        waiting = re.search(r"^martlet_publisher_slots_waiting (\d+)", text, re.MULTILINE)
        if waiting is None or int(waiting[1]) > 0:
            return {}
        shares = re.findall(
            r'^martlet_publisher_slots\{.*?node="([^"]*)".*?\} (\d+)', text, re.MULTILINE)
        return {name: int(count) for name, count in shares}

    def processor_seconds(self):
        """Of the publisher, and of all that was started."""
        tick, each = os.sysconf("SC_CLK_TCK"), []
        for process in self.processes:
            try:
                stat = pathlib.Path("/proc/{}/stat".format(process.pid)).read_text()
            except OSError:
                continue
            fields = stat.rsplit(")", 1)[1].split()
            each.append((int(fields[11]) + int(fields[12])) / tick)
        return each[0], sum(each)

    def wait(self, is_there):
        """Seconds until it is so, the shares then, and what it took."""
        began, before = time.monotonic(), self.processor_seconds()
        while time.monotonic() - began < self.patience:
            shares = self.shares()
            if shares and is_there(shares):
                took = time.monotonic() - began
                after = self.processor_seconds()
                cost = "processor time {:.1f} s, of that the publisher {:.1f} s".format(
                    after[1] - before[1], after[0] - before[0])
                return took, shares, cost
            time.sleep(0.02)
        sys.exit("not within {} s; the logs are in {}".format(self.patience, self.folder))

    def round(self):
        node = self.join("extra")
        seconds, shares, cost = self.wait(lambda each: each.get("extra", 0) > 0)
        print("joined: {:.2f} s; slots of a node {} to {}; {}".format(
            seconds, min(shares.values()), max(shares.values()), cost), flush=True)
        node.kill()
        node.wait()
        self.processes.remove(node)
        seconds, _, cost = self.wait(lambda each: each.get("extra", 0) == 0)
        print("killed: {:.2f} s; {}".format(seconds, cost), flush=True)
        self.forget("extra")

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
            seconds, _, cost = cluster.wait(
                lambda each: len(each) == options.nodes and min(each.values()) > 0)
            print("{} nodes: {:.2f} s; {}".format(options.nodes, seconds, cost), flush=True)
            for _ in range(options.rounds):
                cluster.round()
        finally:
            cluster.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
