"""The gateway's OpenAPI document, held against the gateway."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Callable

import stream
import test_runs
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


def main() -> int:
    parser = test_runs.parser()
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    every = (the_document_and_the_gateway_agree, the_stream_is_as_documented)
    tests = test_runs.chosen({test.__name__: test for test in every}, options)
    if options.list:
        return test_runs.listed(tests)

    def run(_: str, test: Callable[[World, int, int], str]) -> str:
        with World(str(Path(options.program).resolve())) as world:
            found = test(world, options.cases, options.seed)
            world.check()
            return found

    return test_runs.carried_out(tests, run)


if __name__ == "__main__":
    sys.exit(main())
