"""One target for some time, and what became of it."""

import dataclasses
import re
import subprocess
import time

from fuzzing import building, corpus, findings

# Inputs are at most so long, in bytes; of those that are not named, so long.
LENGTH_MAX = {"floors": 7_000, "cluster": 2_048, "tier": 128, "trace": 512, "texts": 256}
LENGTH_MAX_USUAL = 1_024

# A single input that takes longer is a finding, in seconds: on a busy machine most take under one.
INPUT_SECONDS_MAX = 30
MEMORY_MIB_MAX = 2_048

# What libFuzzer ends with once it has been told to, by an interrupt.
INTERRUPTED = 72

HEADING = f"{'target':<12} {'inputs':>12} {'a second':>9} {'edges':>7} {'features':>9}  findings"


@dataclasses.dataclass
class Outcome:
    name: str
    log: str
    seconds: float
    is_clean: bool

    @property
    def inputs(self):
        told = re.findall(r"^#(\d+)", self.log, re.MULTILINE)
        final = re.search(r"stat::number_of_executed_units: (\d+)", self.log)
        return int(final.group(1)) if final else int(told[-1]) if told else 0

    def figure(self, word):
        told = re.findall(rf"\b{word}: (\d+)", self.log)
        return int(told[-1]) if told else 0

    @property
    def line(self):
        rate = int(self.inputs / max(self.seconds, 0.001))
        return (f"{self.name:<12} {self.inputs:>12} {rate:>9} {self.figure('cov'):>7} "
                f"{self.figure('ft'):>9}  {'none' if self.is_clean else 'ONE'}")

    @property
    def account(self):
        return findings.account(self.name, self.log)


def run(binary, name, arguments):
    folder = corpus.unpack(name)
    findings.FOLDER.mkdir(parents=True, exist_ok=True)
    length = LENGTH_MAX.get(name, LENGTH_MAX_USUAL)
    limit = [f"-runs={arguments.runs}"] if arguments.runs else [
        f"-max_total_time={arguments.seconds}"]
    command = [
        binary, f"--target={name}", *limit, f"-max_len={length}",
        f"-timeout={INPUT_SECONDS_MAX}", f"-rss_limit_mb={MEMORY_MIB_MAX}",
        "-print_final_stats=1", f"-artifact_prefix={findings.FOLDER}/{name}-", folder,
    ]
    words = corpus.dictionary(name)
    if words:
        command.insert(2, f"-dict={words}")
    began = time.monotonic()
    done = subprocess.run(command, env=building.environment(), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    log = done.stdout.decode(errors="replace")
    (building.BUILD / f"{name}.log").write_text(log)
    return Outcome(name, log, time.monotonic() - began,
                   done.returncode in (0, INTERRUPTED))
