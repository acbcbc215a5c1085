#!/usr/bin/env python3
"""Changes the nodes of a cluster with slots under a checked load, and shows each second of it.

    Tests/Benchmarks/slots.py PROGRAM SCENARIO [--keys 4000] [--disk] [--svg FILE]

Scenarios: `grow` (3 nodes, 5, and 3 again by drain), `roll` (a drain and a restart of each node in
turn), `kill` (kill -9 of one of three, and its return), `stop` (SIGSTOP of one for a minute).

Readers ask a gateway and store what they miss under tokens, with the version that the database has
at that moment. A writer changes keys in the database and invalidates them. A value that is older
than the last change with a receipt before the read began is a wrong answer. Everything is on
loopback, in a temporary directory, and ends by itself. Exit code 1 after a wrong answer.
"""

import argparse
import ctypes
import http.client
import json
import multiprocessing
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

READERS = 2
CHANGES_PER_SECOND = 20
WARM_SECONDS = 12
LENGTHS = {"grow": 56, "roll": 84, "kill": 50, "stop": 90}


class Second:
    """What one second showed."""

    def __init__(self):
        self.hits = self.misses = self.errors = 0
        self.times = []

    def add(self, other):
        self.hits += other.hits
        self.misses += other.misses
        self.errors += other.errors
        self.times += other.times


class Load:
    """Readers and a writer, each a process, over one gateway."""

    def __init__(self, port, keys, seconds):
        self.port, self.keys = port, keys
        self.database = multiprocessing.Array(ctypes.c_long, keys, lock=False)
        self.invalidated = multiprocessing.Array(ctypes.c_long, keys, lock=False)
        self.began = time.time()
        self.ends = multiprocessing.Value(ctypes.c_double, self.began + seconds, lock=False)
        self.reports = multiprocessing.Queue()
        self.processes = [
            multiprocessing.Process(target=self.read, args=(seed,)) for seed in range(READERS)
        ]
        self.processes.append(multiprocessing.Process(target=self.change))
        for process in self.processes:
            process.start()

    def connection(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)

    def read(self, seed):
        choose, seconds, wrong = random.Random(seed), {}, []
        line = self.connection()
        while time.time() < self.ends.value:
            key = choose.randrange(self.keys)
            least, asked = self.invalidated[key], time.time()
            second = seconds.setdefault(int(asked - self.began), Second())
            try:
                value = self.look(line, key, second)
                if value is not None and value < least:
                    wrong.append(f"key {key}: {value}, though {least} was invalidated before")
            except (OSError, http.client.HTTPException):
                second.errors += 1
                line.close()
                line = self.connection()
            second.times.append(time.time() - asked)
        self.reports.put((seconds, wrong))

    def look(self, line, key, second):
        """The value of a key; after a miss it is stored, and the answer is None."""
        path = f"/v1/default/key-{key}"
        line.request("GET", path, headers={"Martlet-Token": "?1"})
        answer = line.getresponse()
        body, token = answer.read(), answer.getheader("Martlet-Token")
        if answer.status == 200:
            second.hits += 1
            return int(body)
        if answer.status != 404:
            second.errors += 1
            return None
        second.misses += 1
        if token:
            value = str(self.database[key])
            line.request("PUT", path, body=value, headers={"Martlet-Token": token})
            line.getresponse().read()
        return None

    def change(self):
        choose, line, failed = random.Random(99), self.connection(), []
        while time.time() < self.ends.value:
            key = choose.randrange(self.keys)
            self.database[key] += 1
            value = self.database[key]
            body = json.dumps({"keys": [f"key-{key}"]})
            try:
                line.request("POST", "/v1/invalidate", body=body)
                answer = line.getresponse()
                answer.read()
                if answer.status == 200:
                    self.invalidated[key] = value
            except (OSError, http.client.HTTPException):
                line.close()
                line = self.connection()
            time.sleep(1 / CHANGES_PER_SECOND)
        self.reports.put(({}, failed))

    def stop(self):
        """Has it end before its time."""
        self.ends.value = time.time()

    def wait(self):
        """The seconds by number, and all wrong answers."""
        reports = [self.reports.get() for _ in self.processes]
        for process in self.processes:
            process.join()
        seconds = {}
        for part, _ in reports:
            for number, second in part.items():
                seconds.setdefault(number, Second()).add(second)
        return seconds, [sentence for _, wrong in reports for sentence in wrong]


class Cluster:
    """A publisher, its nodes and a gateway."""

    def __init__(self, program, has_disks):
        self.program, self.has_disks = program, has_disks
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="martlet-slots-"))
        self.base = random.randrange(21_000, 29_000, 100)
        self.gateway = self.base + 90
        self.environment = dict(os.environ, MARTLET_CLUSTER=f"tcp://127.0.0.1:{self.base}")
        self.processes = {}

    def name(self, nodes):
        """Names the nodes in the file; the publisher takes it over within a second."""
        lines = ["topology: slots", "publisher:", f"  endpoint: tcp://127.0.0.1:{self.base}",
                 f"  log: {self.home}/log", "nodes:"]
        lines += [f"  - {{id: n{node}, memory: 256MiB, port: {self.base + 10 * node}}}"
                  for node in nodes]
        draft = self.home / "cluster.new"
        draft.write_text("\n".join(lines) + "\n")
        draft.rename(self.home / "cluster.yaml")

    def start(self, name):
        config = str(self.home / "cluster.yaml")
        command = {
            "publisher": ["publisher", "--config", config],
            "gateway": ["gateway", "--bind", f"127.0.0.1:{self.gateway}"],
        }.get(name, ["node", "--config", config, "--id", name])
        if self.has_disks and name.startswith("n"):
            command += ["--disk", str(self.home / name)]
        with open(self.home / f"{name}.log", "a", encoding="utf-8") as log:
            self.processes[name] = subprocess.Popen(
                [self.program, *command], stdout=log, stderr=log, env=self.environment)

    def run(self, *command):
        return subprocess.run([self.program, *command], env=self.environment,
                              capture_output=True, text=True, check=False)

    def join(self, nodes, *new):
        self.name(nodes)
        time.sleep(2)
        for node in new:
            self.start(f"n{node}")

    def drain(self, node):
        if self.run("drain", node).returncode != 0:
            raise SystemExit(f"{node} did not leave")
        self.processes[node].wait()

    def begin(self):
        self.join([1, 2, 3])
        self.start("publisher")
        time.sleep(1)
        for node in (1, 2, 3):
            self.start(f"n{node}")
        if self.run("status", "--wait", "30s").returncode != 0:
            raise SystemExit("the nodes are not LIVE")
        self.start("gateway")
        time.sleep(2)

    def end(self):
        for process in self.processes.values():
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()
        shutil.rmtree(self.home)


def play(scenario, cluster, until, mark):
    """Changes the cluster. `until` waits for a second of the load, `mark` notes what is done."""
    until(WARM_SECONDS)
    if scenario == "grow":
        cluster.join([1, 2, 3, 4], 4)
        mark("n4 starts")
        until(22)
        cluster.join([1, 2, 3, 4, 5], 5)
        mark("n5 starts")
        for second, node, left in ((34, "n4", [1, 2, 3, 5]), (44, "n5", [1, 2, 3])):
            until(second)
            mark(f"drain {node}")
            cluster.drain(node)
            mark(f"{node} has left")
            cluster.name(left)
    elif scenario == "roll":
        for number in (1, 2, 3):
            until(WARM_SECONDS + 24 * (number - 1))
            mark(f"drain n{number}")
            cluster.drain(f"n{number}")
            cluster.start(f"n{number}")
            mark(f"n{number} starts")
    elif scenario == "kill":
        cluster.processes["n2"].kill()
        mark("kill -9 of n2")
        until(34)
        cluster.start("n2")
        mark("n2 starts")
    else:
        cluster.processes["n2"].send_signal(signal.SIGSTOP)
        mark("SIGSTOP of n2")
        until(WARM_SECONDS + 60)
        cluster.processes["n2"].send_signal(signal.SIGCONT)
        mark("SIGCONT")


def percentile(times, share):
    return sorted(times)[int(len(times) * share)] if times else 0


def line(seconds, value, height):
    points = " ".join(f"{10 * number + 40},{height - value(second) * (height - 20):.1f}"
                      for number, second in sorted(seconds.items()))
    return f'<polyline fill="none" stroke="currentColor" points="{points}"/>'


def picture(seconds, marks):
    """Hit ratio, share of errors and p99, below each other; changes as vertical lines."""
    width, height = 10 * len(seconds) + 120, 100
    slowest = max(percentile(second.times, 0.99) for second in seconds.values())
    panels = [
        ("hit ratio, 0 to 1", "#1f5fa8",
         lambda second: second.hits / max(1, second.hits + second.misses)),
        ("share of errors, 0 to 1", "#b03030",
         lambda second: second.errors / max(1, second.hits + second.misses + second.errors)),
        (f"p99, 0 to {slowest * 1_000:.0f} ms", "#3a7d44",
         lambda second: percentile(second.times, 0.99) / slowest),
    ]
    bottom = len(panels) * height
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{bottom + 40}"'
             ' font-family="sans-serif" font-size="9">',
             f'<rect width="{width}" height="{bottom + 40}" fill="white"/>']
    for index, (title, colour, value) in enumerate(panels):
        parts.append(f'<g transform="translate(0,{index * height})" color="{colour}">'
                     f'<text x="2" y="12">{title}</text>{line(seconds, value, height)}</g>')
    for index, (second, text) in enumerate(marks):
        x, y = 10 * second + 40, bottom + 10 + 10 * (index % 3)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="16" y2="{bottom}" stroke="#999"/>'
                     f'<text x="{x:.1f}" y="{y}">{text}</text>')
    return "\n".join(parts) + "\n</svg>\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("scenario", choices=sorted(LENGTHS))
    parser.add_argument("--keys", type=int, default=4_000)
    parser.add_argument("--disk", action="store_true")
    parser.add_argument("--svg", type=pathlib.Path)
    arguments = parser.parse_args()
    cluster, marks = Cluster(os.path.abspath(arguments.program), arguments.disk), []
    try:
        cluster.begin()
        load = Load(cluster.gateway, arguments.keys, LENGTHS[arguments.scenario])
        play(arguments.scenario, cluster,
             lambda second: time.sleep(max(0, load.began + second - time.time())),
             lambda text: marks.append((round(time.time() - load.began, 1), text)))
        seconds, wrong = load.wait()
    finally:
        cluster.end()
    for second, text in marks:
        print(f"{second:6.1f} s  {text}")
    for number, second in sorted(seconds.items()):
        looks = second.hits + second.misses
        print(f"{number:4}  hit ratio {second.hits / max(1, looks):.4f}  looks {looks:5}  "
              f"errors {second.errors:4}  p99 {percentile(second.times, 0.99) * 1_000:7.1f} ms  "
              f"max {max(second.times, default=0) * 1_000:7.1f} ms")
    print(f"wrong answers: {len(wrong)}")
    for sentence in wrong[:10]:
        print(f"  {sentence}")
    if arguments.svg:
        arguments.svg.write_text(picture(seconds, marks), encoding="utf-8")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
