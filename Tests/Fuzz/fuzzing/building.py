"""The program: how it is built, and what it is told by its environment."""

import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = ROOT / ".build-fuzz"

# As shipped, with the debug checks of the structures on. Internal names are wanted by the targets.
# Of several -sanitize= the compiler obeys the last, and the package manager gives each its own, in
# any order: so both in one, behind the package manager's, which leaves `main` to libFuzzer.
FLAGS = [
    "--sanitize=fuzzer", "-Xswiftc", "-sanitize=fuzzer,address", "-Xcc",
    "-fsanitize=fuzzer,address", "-Xswiftc", "-enable-testing", "-Xswiftc", "-DCACHE_CHECKED",
    "-Xswiftc", "-assert-config", "-Xswiftc", "Debug",
]


def build():
    """Builds `fuzz`; ends the process where that cannot be done."""
    _build("1", "-c", "release", "--scratch-path", str(BUILD), *FLAGS)
    return BUILD / "release" / "fuzz"


def build_for_replay():
    """The same without libFuzzer, as it is debugged, from the modules that tests have.

    MARTLET_FUZZ_FLAGS are the flags that the tests were built with, so that nothing is built twice.
    """
    flags = shlex.split(os.environ.get("MARTLET_FUZZ_FLAGS", ""))
    scratch = ROOT / ".build"
    if "--scratch-path" in flags:
        scratch = pathlib.Path(flags[flags.index("--scratch-path") + 1])
    _build("replay", *flags)
    return scratch / "debug" / "fuzz"


def _build(mode, *arguments):
    command = ["swift", "build", "--product", "fuzz", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"MARTLET_FUZZ": mode},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        print(done.stdout, file=sys.stderr)
        print("fuzz cannot be built", file=sys.stderr)
        sys.exit(1)


def targets(binary):
    listed = subprocess.run([binary, "--list"], env=environment(), capture_output=True, text=True)
    if listed.returncode != 0:
        print(f"{binary} does not run: {listed.stderr}", file=sys.stderr)
        sys.exit(1)
    return listed.stdout.split()


def environment(is_account=False):
    """Nothing is noted of each allocation, which takes time, unless an account is wanted."""
    # Swift's own account of a crash takes minutes under a sanitizer.
    address = "quarantine_size_mb=16:malloc_context_size=0"
    if is_account:
        address = "malloc_context_size=16"
    return os.environ | {"SWIFT_BACKTRACE": "enable=no", "ASAN_OPTIONS": address}
