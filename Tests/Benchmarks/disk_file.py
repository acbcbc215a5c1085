#!/usr/bin/env python3
"""Holds the disk tier against fio, on the same directory, alternately.

    Tests/Benchmarks/disk_file.py ENGINE_BENCHMARKS DIRECTORY [--runs 3] [--entries 1000000...]

Each run writes a file of fio's from end to end, then the ring of a tier, reads 4 KiB at a time from
the one and the other, and restarts a tier that was killed. What is printed are the medians of all
runs, their range, and the medians' ratio.

fio writes 1 MiB at a time and synchronizes (fdatasync) each 32 MiB, which is the tier's segment,
into a file whose room is reserved: first over nothing, then over what was there. It reads with
pread, one at a time, and with a ring (io_uring), 32 at a time: through the page cache, from which
the file was driven out, as the tier does, and past it (direct). No file is larger than --mebibytes,
and all are removed at the end.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import statistics
import subprocess

SEGMENT_MEBIBYTES = 32
# What is compared: the tier's figure and fio's.
PAIRS = [
    ("write, into a new file", "fio write, into a new file"),
    ("write, over what was there", "fio write, over what was there"),
    ("get, threads, depth 1: p50", "fio read, depth 1: p50"),
    ("get, threads, depth 1: p50", "fio read, depth 1, direct: p50"),
    ("get, threads, depth 1: p99", "fio read, depth 1: p99"),
    ("get, ring, depth 1: p50", "fio read, depth 1: p50"),
    ("get, ring, depth 1: p50", "fio read, depth 1, direct: p50"),
    ("get, ring, depth 1: p99", "fio read, depth 1: p99"),
    ("get, threads, depth 32", "fio read, depth 32"),
    ("get, threads, depth 32", "fio read, depth 32, direct"),
    ("get, ring, depth 32", "fio read, depth 32"),
    ("get, ring, depth 32", "fio read, depth 32, direct"),
]


class Figures:
    def __init__(self):
        self.values = collections.defaultdict(list)
        self.units = {}

    def add(self, name, value, unit):
        self.values[name].append(value)
        self.units[name] = unit
        print(f"  {name:<58} {value:12.2f} {unit}", flush=True)

    def median(self, name):
        return statistics.median(self.values[name]) if name in self.values else None


class Fio:
    """fio on one file."""

    def __init__(self, directory, arguments, figures):
        self.file = directory / "fio.file"
        self.arguments, self.figures = arguments, figures

    def job(self, *options):
        command = ["fio", "--name=job", f"--filename={self.file}",
                   f"--size={self.arguments.mebibytes}m", "--output-format=json", *options]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        job = json.loads(done.stdout)["jobs"][0]
        if job["error"]:
            raise SystemExit(f"{' '.join(command)} failed")
        return job

    def write(self):
        with open(self.file, "wb") as file:
            os.posix_fallocate(file.fileno(), 0, self.arguments.mebibytes << 20)
        for what in ("into a new file", "over what was there"):
            job = self.job("--rw=write", "--bs=1m", "--ioengine=psync", "--end_fsync=1",
                           "--fallocate=none", f"--fdatasync={SEGMENT_MEBIBYTES}")
            # With the last synchronization, which is no part of fio's own rate.
            seconds = job["job_runtime"] / 1e3
            self.figures.add(f"fio write, {what}", job["write"]["io_bytes"] / seconds / 1e6, "MB/s")

    def read(self):
        self.depth(1, "psync", self.arguments.reads)
        self.depth(1, "psync", self.arguments.reads, "--direct=1")
        self.depth(32, "io_uring", 2 * self.arguments.reads)
        self.depth(32, "io_uring", 2 * self.arguments.reads, "--direct=1")

    def depth(self, depth, engine, count, *options):
        job = self.job("--rw=randread", "--bs=4k", f"--ioengine={engine}", f"--iodepth={depth}",
                       "--invalidate=1", f"--io_size={4 * count}k", "--allow_file_create=0",
                       "--randrepeat=0", *options)["read"]
        name = f"fio read, depth {depth}" + (", direct" if options else "")
        if depth == 1:
            shares = job["clat_ns"]["percentile"]
            self.figures.add(f"{name}: p50", shares["50.000000"] / 1e3, "µs")
            self.figures.add(f"{name}: p99", shares["99.000000"] / 1e3, "µs")
        else:
            self.figures.add(name, job["iops"] / 1e3, "k/s")

    def remove(self):
        self.file.unlink(missing_ok=True)


def tier(figures, program, directory, *options):
    """Runs the command and takes its figures: a name, then a number and its unit, a line."""
    command = [program, "disk-file", directory, *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    for line in done.stdout.splitlines():
        found = re.match(r"(.+?)\s{2,}([0-9.]+)(?: (.*?))?(?:\s{2,}asked: .*)?$", line)
        if found is None:
            raise SystemExit(f"not understood: {line}")
        figures.add(found[1], float(found[2]), found[3] or "")


def show(figures, load):
    print(f"\nmedians of {max(map(len, figures.values.values()))} runs, least to most; "
          f"load {' '.join(f'{one:.1f}' for one in load)}")
    for name, values in figures.values.items():
        print(f"  {name:<58} {statistics.median(values):12.2f} {figures.units[name]:<8}"
              f" ({min(values):.2f} – {max(values):.2f})")
    print("\nratios of medians, the tier's to fio's")
    for ours, theirs in PAIRS:
        a, b = figures.median(ours), figures.median(theirs)
        if a is not None and b:
            print(f"  {ours:<36} to {theirs:<36} {a / b:8.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="engine-benchmarks, of a release build")
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--mebibytes", type=int, default=2_048, help="of each file")
    parser.add_argument("--reads", type=int, default=20_000)
    parser.add_argument("--entries", type=int, nargs="*", default=[1_000_000],
                        help="that a restart finds")
    arguments = parser.parse_args()
    arguments.directory.mkdir(parents=True, exist_ok=True)
    figures = Figures()
    fio = Fio(arguments.directory, arguments, figures)
    load = [os.getloadavg()[0]]
    try:
        for number in range(arguments.runs):
            print(f"run {number + 1}", flush=True)
            fio.write()
            tier(figures, arguments.program, arguments.directory, "--part", "rw", "--mebibytes",
                 str(arguments.mebibytes), "--reads", str(arguments.reads))
            fio.read()
            for entries in arguments.entries:
                tier(figures, arguments.program, arguments.directory, "--part", "restart",
                     "--openings", "1", "--entries", str(entries))
            fio.remove()
            load.append(os.getloadavg()[0])
    finally:
        fio.remove()
    show(figures, load)


if __name__ == "__main__":
    main()
