"""Inputs that lead somewhere: those in the repository, those of earlier runs, and seeds."""

import base64
import hashlib
import shutil
import subprocess

from fuzzing import building, seeds

KEPT = building.ROOT / "Tests" / "Fuzz" / "Corpus"
FOUND = building.BUILD / "corpus"

# What is kept of one target, in bytes, and the longest input among it.
KEPT_BYTES_MAX = 12 << 10
KEPT_INPUT_BYTES_MAX = 1_024


def unpack(name):
    """A folder with all of them, to which libFuzzer adds what it finds."""
    folder = FOUND / name
    folder.mkdir(parents=True, exist_ok=True)
    for data in kept(name) + seeds.of(name):
        (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)
    return folder


def kept(name):
    file = KEPT / f"{name}.base64"
    return [base64.b64decode(line) for line in file.read_text().split()] if file.exists() else []


def dictionary(name):
    """A file of words for libFuzzer; `None` where a target has none."""
    found = seeds.words(name)
    if not found:
        return None
    file = FOUND / f"{name}.words"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f'"{word}"\n' for word in found))
    return file


def keep(binary, name):
    """Writes the few inputs that together lead wherever all of them do; short ones first."""
    source, merged = unpack(name), FOUND / f"{name}.merged"
    shutil.rmtree(merged, ignore_errors=True)
    merged.mkdir()
    subprocess.run([binary, f"--target={name}", "-set_cover_merge=1", merged, source], check=True,
                   env=building.environment(), stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    inputs = sorted((file.read_bytes() for file in merged.iterdir()), key=len)
    chosen, total = [], 0
    for data in inputs:
        if len(data) <= KEPT_INPUT_BYTES_MAX and total + len(data) <= KEPT_BYTES_MAX:
            chosen.append(data)
            total += len(data)
    lines = sorted(base64.b64encode(data).decode() for data in chosen)
    KEPT.mkdir(exist_ok=True)
    (KEPT / f"{name}.base64").write_text("".join(line + "\n" for line in lines))
    print(f"{name:<12} {len(inputs)} of {sum(1 for _ in source.iterdir())} lead anywhere new, "
          f"{len(chosen)} kept in {total} bytes")
