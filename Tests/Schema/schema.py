"""The gateway's OpenAPI document, held against the gateway."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Callable, Dict, Optional

import stream
from world import World

HERE = Path(__file__).resolve().parent
RUN_SECONDS_MAX = 300
"""A run of the tool that takes longer is a failure."""


def cases_of_one_run(world: World, seed: int, examples: int, shown: Path) -> int:
    """Cases that were made of the document and answered as it says; the first fault ends it."""
    report = world.directory / f"report-{seed}.json"
    tool = [
        sys.executable, "-m", "schemathesis.cli", "--config-file", str(HERE / "schemathesis.toml"),
        "run", world.document, "--phases", "coverage,fuzzing", "--continue-on-failure",
        "--max-examples", str(examples), "--seed", str(seed), "--generation-database", "none",
        "--exclude-path", "/v1/stream", "--exclude-checks", "positive_data_acceptance",
        "--report", "json", "--report-json-path", str(report), "--request-timeout", "20",
    ]
    environment = dict(os.environ, SCHEMATHESIS_HOOKS="hooks", PYTHONPATH=str(HERE))
    with open(shown, "ab") as output:
        code = subprocess.run(
            tool, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            timeout=RUN_SECONDS_MAX, cwd=world.directory).returncode
    world.check()
    assert code == 0, f"seed {seed}: exit code {code}\n{shown.read_text(errors='replace')}"
    found = json.loads(report.read_text())
    assert found["operations"]["tested"] == found["operations"]["selected"], found["operations"]
    return found["test_cases"]["generated"]


def the_document_and_the_gateway_agree(world: World, cases: int, seed: int) -> str:
    """Cases that it allows and others, on every operation but the stream."""
    examples = min(max(cases // 20, 5), 100)
    done = 0
    while done < cases:
        done += cases_of_one_run(world, seed, examples, world.directory / "schemathesis.out")
        seed += 1
    return f"{done} cases"


def the_stream_is_as_documented(world: World, cases: int, seed: int) -> str:
    """Queries, refusals, events and frames."""
    return stream.hold(world, min(cases, 200), seed)


TESTS: Dict[str, Callable[[World, int, int], str]] = {
    test.__name__: test
    for test in (the_document_and_the_gateway_agree, the_stream_is_as_documented)
}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    chosen = [name for name in TESTS if not options.only or name in options.only]
    failed = 0
    for name in chosen:
        start = time.monotonic()
        found: Optional[str] = None
        try:
            with World(str(Path(options.program).resolve())) as world:
                found = TESTS[name](world, options.cases, options.seed)
                world.check()
        except Exception:
            traceback.print_exc()
            failed += 1
        word = "FAILED" if found is None else "passed"
        print(f"  {word}  {name}  {found or ''}  {time.monotonic() - start:.1f} s", flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
