"""A collector that is away, slow, full or wrong harms nobody."""

from __future__ import annotations

import secrets
import subprocess
import threading
import time
from typing import List

from collector import Answer, Collector
from process_tools import free_ports, wait_until
from world import World

SPANS_HELD_MAX = 2_048 + 512
ATTEMPT_SECONDS = 5


def _ask(world: World, count: int, threads: int = 8) -> List[float]:
    """Asks so often for what is there, every request recorded; how long each took."""
    took: List[float] = []
    failures: List[BaseException] = []

    def part() -> None:
        try:
            for _ in range(count // threads):
                start = time.monotonic()
                status, _, _ = world.ask(
                    "GET", "/v1/default/first",
                    traceparent=f"00-{secrets.token_hex(16)}-00f067aa0ba902b7-01")
                took.append(time.monotonic() - start)
                assert status == 200, status
        except BaseException as error:
            failures.append(error)

    workers = [threading.Thread(target=part) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failures, failures[0]
    return took


def _lines(world: World) -> List[str]:
    return [line for line in world.said().splitlines() if "the collector of spans" in line]


def a_collector_that_is_away_costs_spans_and_nothing_else(program: str) -> None:
    port, = free_ports(1)
    with World(
            program, "--traces", f"http://127.0.0.1:{port}", "--trace-ratio", "0") as world:
        _ask(world, 400)
        before = world.resident_bytes()
        took = _ask(world, 4_000)
        assert sorted(took)[len(took) // 2] < 1, "requests wait for no collector"
        counts = {each: world.metric(each) for each in ("exported", "dropped", "failed")}
        # Two spans a request, and those of it that are not held are counted.
        assert counts["exported"] == 0, counts
        assert counts["dropped"] + counts["failed"] >= 2 * 4_400 - SPANS_HELD_MAX, counts
        grown = world.resident_bytes() - before
        assert grown < 32 << 20, f"{grown} bytes for {SPANS_HELD_MAX} spans"
        wait_until("it is said", lambda: len(_lines(world)) == 1)
        assert "cannot be reached" in _lines(world)[0], _lines(world)
        assert world.stop("gateway") < 8, "a stop waits for no collector"


def a_collector_that_comes_back_gets_what_is_held(program: str) -> None:
    port, = free_ports(1)
    with World(
            program, "--traces", f"http://127.0.0.1:{port}", "--trace-ratio", "0") as world:
        trace = secrets.token_hex(16)
        world.ask(
            "GET", "/v1/default/first", traceparent=f"00-{trace}-00f067aa0ba902b7-01")
        wait_until("it was tried", lambda: len(_lines(world)) == 1)
        with Collector(port=port) as collector:
            wait_until("they came", lambda: len(collector.of(trace)) == 2)
            collector.check()
            wait_until("they are counted", lambda: world.metric("exported") == 2)
            assert world.metric("failed") == world.metric("dropped") == 0


def a_slow_collector_holds_nobody_up(program: str) -> None:
    with Collector(lambda _: Answer(delay=30)) as collector, World(
            program, "--traces", collector.url, "--trace-ratio", "0") as world:
        start = time.monotonic()
        took = _ask(world, 3_200)
        assert max(took) < 3, max(took)
        # On a busy machine the requests last longer than an attempt.
        attempts = 2 + int((time.monotonic() - start) / ATTEMPT_SECONDS)
        assert len(collector.requests) <= attempts, "one batch is on its way at a time"
        wait_until("it is said", lambda: len(_lines(world)) == 1)
        assert "in time" in _lines(world)[0]
        assert world.stop("gateway") < 8, "a stop gives it a moment and no more"


def one_that_is_full_is_left_alone_as_long_as_it_says(program: str) -> None:
    def answers(number: int) -> Answer:
        return Answer(503 if number else 429, headers={"retry-after": "3"}) if number < 2 \
            else Answer()

    with Collector(answers) as collector, World(
            program, "--traces", collector.url, "--trace-ratio", "0") as world:
        _ask(world, 8)
        wait_until("they came", lambda: len(collector.spans) == 16)
        collector.check()
        first, second, third = collector.requests[:3]
        assert 2.9 < second - first < 6 and 2.9 < third - second < 6, collector.requests
        assert len(_lines(world)) == 1, "one line for both"


def what_is_refused_is_counted_and_not_sent_again(program: str) -> None:
    with Collector(lambda _: Answer(400)) as collector, World(
            program, "--traces", collector.url, "--trace-ratio", "0") as world:
        _ask(world, 8)
        wait_until("it is counted", lambda: world.metric("refused") == 16)
        sent = len(collector.requests)
        _ask(world, 8)
        wait_until("it is counted", lambda: world.metric("refused") == 32)
        assert len(collector.requests) >= sent + 1 and len(_lines(world)) == 1
        assert "answered 400" in _lines(world)[0]


def a_few_may_be_refused(program: str) -> None:
    body = b'{"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}}'
    with Collector(lambda number: Answer(body=body if number == 0 else b"{}")) as collector, World(
            program, "--traces", collector.url, "--trace-ratio", "0") as world:
        _ask(world, 8)
        wait_until(
            "it is counted", lambda: world.metric("exported") + world.metric("refused") == 16)
        assert world.metric("refused") == 1


def a_stop_sends_what_is_left(program: str) -> None:
    with Collector() as collector, World(
            program, "--traces", collector.url, "--trace-ratio", "0") as world:
        _ask(world, 80)
        assert world.stop("gateway") < 6
        assert len(collector.spans) == 160, len(collector.spans)
        collector.check()


def a_long_answer_and_a_redirect_are_not_followed(program: str) -> None:
    with Collector() as other:
        def answers(number: int) -> Answer:
            if number:
                return Answer(307, headers={"location": f"{other.url}/v1/traces"})
            return Answer(body=b" " * (8 << 20))

        with Collector(answers) as collector, World(
                program, "--traces", collector.url, "--trace-ratio", "0") as world:
            _ask(world, 8)
            wait_until("it is taken", lambda: world.metric("exported") > 0)
            _ask(world, 8)
            wait_until("it is refused", lambda: world.metric("refused") > 0)
            assert not other.requests


def a_password_is_refused_and_shown_nowhere(program: str) -> None:
    for arguments in (
        ["--traces", "http://me:hunter2@127.0.0.1:4318"], ["--traces", "otel:4318"],
        ["--traces", "http://127.0.0.1:4318", "--trace-ratio", "2"], ["--trace-ratio", "0.5"],
    ):
        ended = subprocess.run(
            [program, "gateway", "--bind", "127.0.0.1:0", *arguments],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20)
        assert ended.returncode == 64, ended
        assert "hunter2" not in ended.stdout + ended.stderr
        assert "--trace" in ended.stderr, ended.stderr
