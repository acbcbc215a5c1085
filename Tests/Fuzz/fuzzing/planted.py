"""Faults that are there on purpose: who does not find these finds no others."""

import subprocess
import tempfile

from fuzzing import building

# What the log says once each is found.
PLANTED = {
    "planted-trap": "deadly signal",
    "planted-overrun": "AddressSanitizer: heap-buffer-overflow",
    "planted-falsehood": "Fatal error: planted",
}
RUNS_MAX = 20_000_000
SECONDS_MAX = 120


def find(binary):
    """Those that were not found."""
    return [name for name, words in PLANTED.items() if not is_found(binary, name, words)]


def is_found(binary, name, words):
    with tempfile.TemporaryDirectory() as folder:
        command = [binary, f"--target={name}", f"-runs={RUNS_MAX}", "-max_len=16",
                   f"-max_total_time={SECONDS_MAX}", f"-artifact_prefix={folder}/"]
        done = subprocess.run(command, env=building.environment(), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
    return done.returncode != 0 and words in done.stdout.decode(errors="replace")
