"""The inputs of the repository, each once, by a program without libFuzzer: at each change."""

import os
import subprocess
import sys

from fuzzing import building, corpus, findings, runs, seeds

HEADING = f"{'target':<12} {'inputs':>7}  findings"


def build():
    """Builds `fuzz` as it is debugged, beside the modules that tests have; ends where it cannot."""
    command = ["swift", "build", "--product", "fuzz"]
    done = subprocess.run(command, cwd=building.ROOT, env=os.environ | {"MARTLET_FUZZ": "replay"},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        print(done.stdout, file=sys.stderr)
        print("fuzz cannot be built", file=sys.stderr)
        sys.exit(1)
    return building.ROOT / ".build" / "debug" / "fuzz"


def replay(binary, name):
    """
    :return: what to print, and whether nothing went wrong.
    """
    files = []
    folder = building.ROOT / ".build" / "fuzz-corpus" / name
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(corpus.kept(name) + seeds.of(name)):
        files.append(folder / str(number))
        files[-1].write_bytes(data)
    try:
        done = subprocess.run([binary, f"--target={name}", *files], env=building.environment(),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=runs.INPUT_SECONDS_MAX * 4)
        log, is_clean = done.stdout.decode(errors="replace"), done.returncode == 0
    except subprocess.TimeoutExpired as late:
        log, is_clean = (late.stdout or b"").decode(errors="replace") + "took too long\n", False
    line = f"{name:<12} {len(files):>7}  {'none' if is_clean else 'ONE'}"
    return (line if is_clean else line + "\n" + findings.account(name, log)), is_clean
