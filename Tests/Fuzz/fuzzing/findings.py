"""Inputs that must not be: how they are told, repeated and made short."""

import re
import subprocess

from fuzzing import building

FOLDER = building.BUILD / "findings"
MINIMISE_SECONDS = 60
LINES_MAX = 24


def account(name, log):
    """What went wrong, where the input lies, and how it is repeated."""
    lines = log.splitlines()
    said = [line for line in lines if re.search(r"(Fatal error|[a-z]+ failed): |ERROR: ", line)]
    frames = [line for line in lines if re.match(r"\s*#\d+ 0x", line) and "fuzzer::" not in line]
    written = re.findall(r"(?:Test unit written to|^Running:) (\S+)", log, re.MULTILINE)
    told = said[:2] + frames[:LINES_MAX]
    if not said:
        told = lines[-LINES_MAX:]
    if written:
        told += [f"input:   {written[-1]}",
                 f"again:   Tests/Fuzz/run --target {name} --repeat {written[-1]}",
                 f"shorter: Tests/Fuzz/run --target {name} --minimise {written[-1]}"]
    return "\n".join("    " + line for line in told)


def repeat(binary, name, file):
    """One input, with everything the sanitizer has to say."""
    done = subprocess.run([binary, f"--target={name}", file],
                          env=building.environment(is_account=True))
    print("nothing went wrong" if done.returncode == 0 else f"{file} is a finding of {name}")
    return 0 if done.returncode == 0 else 1


def minimise(binary, name, file):
    short = file.with_name(file.name + ".short")
    subprocess.run([binary, f"--target={name}", "-minimize_crash=1",
                    f"-max_total_time={MINIMISE_SECONDS}", f"-exact_artifact_path={short}", file],
                   env=building.environment(), stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    if not short.exists():
        print(f"{file} is as short as it gets, or no finding")
        return 1
    print(f"{short}: {short.stat().st_size} bytes of {file.stat().st_size}")
    return 0
