"""Does the harness measure what it says? The loader against its echoes, and the arithmetic."""

from __future__ import annotations

import contextlib
import pathlib
import subprocess
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Tuple

import report
import rows_curve
import systems
from driving import bench_report, redis_benchmark_rate
from echo import Echo
from figures import Contestant, Ratio, Row, Spread, ratio_by_round
from rows_memory import at_memory
from key_pair import MARK, KeyPair, split
from running import Child, Window

TOTAL = 20_000
VALUE = 100


@dataclass
class Work:
    """Where files may go, and where the programs are."""

    folder: pathlib.Path
    programs: pathlib.Path


class Broken(Exception):
    """What is not as it should be."""


def expect(holds: bool, what: str) -> None:
    if not holds:
        raise Broken(what)


def drive(work: Work, kind: str, words: List[Any], value: int = VALUE, with_keys: bool = False
          ) -> Tuple[Dict[str, Any], Dict[str, Any], int]:
    """What the loader and an echo tell of one run, and the loader's exit code."""
    with contextlib.closing(Echo(work.programs, work.folder, kind, VALUE, with_keys)) as echo:
        command = loader_of(work, echo, [*words, "--value", value])
        with Child(command, work.folder / "loader.out") as loader:
            loader.finish(60)
            told = loader.wait_for("ended", 1)
        return told, echo.end(), loader.process.returncode


def loader_of(work: Work, echo: Echo, words: List[Any]) -> List[Any]:
    """The loader's command against an echo; of what is said twice the last holds."""
    key = ["--key", echo.key_file] if echo.key_file else []
    return [work.programs / "loader", "--protocol", echo.protocol, "--to", echo.address,
            "--value", VALUE, "--keys", 1_000, *key, *words]


def counts_agree(kind: str, words: List[Any], with_keys: bool = False
                 ) -> Callable[[Work], None]:
    def check(work: Work) -> None:
        told, counted, code = drive(work, kind, [*words, "--total", TOTAL, "--warm-up", 0,
                                                 "--seconds", 50], VALUE, with_keys)
        expect(code == 0, f"the loader ended with {code}: {told['complaint']}")
        expect(told["right"] == TOTAL, f"{told['right']} of {TOTAL} were right: {told}")
        expect(counted["keys"] == TOTAL, f"the echo counted {counted['keys']} of {TOTAL}")
        expect(counted["messages"] == told["messages"],
               f"{told['messages']} messages were sent and {counted['messages']} came")
    return check


def wrong_values_are_seen(kind: str) -> Callable[[Work], None]:
    def check(work: Work) -> None:
        told, _, code = drive(work, kind, ["--total", 10, "--in-flight", 1], VALUE + 1)
        expect(code == 1, f"the loader ended with {code}")
        expect(told["wrong"] > 0 and told["right"] == 0, f"{told}")
        expect("is not that of" in told["complaint"], told["complaint"])
    return check


def an_echo_tells_its_counts_in_mid_run(kind: str) -> Callable[[Work], None]:
    def check(work: Work) -> None:
        with contextlib.closing(Echo(work.programs, work.folder, kind, VALUE)) as echo:
            command = loader_of(work, echo, ["--warm-up", 0.1, "--seconds", 0.3, "--linger", 30])
            with Child(command, work.folder / "loader.out") as loader:
                loader.wait_for("begun", 30)
                # On a busy machine the warm-up may be over before anything was answered.
                deadline = time.monotonic() + 30
                while echo.counters()["hits"] == 0:
                    expect(time.monotonic() < deadline, "nothing is answered")
                window = Window(echo.counters, echo.pids)
                time.sleep(0.3)
                seen = window.close()
                loader.end(30)
                told = loader.wait_for("ended", 1)
            ended = echo.end()
        # Of what was on its way at the end the loader has seen no answer.
        expect(told["right"] <= ended["keys"] <= told["sent"],
               f"{ended['keys']} keys of {told['sent']}, right: {told['right']}")
        between = seen["rates"]["hits"] * seen["seconds"]
        expect(0 < between < ended["keys"], f"{between} of {ended['keys']} in the window")
        expect(seen["rates"]["hits"] == seen["rates"]["commands"], f"{seen['rates']}")
    return check


def strangers_are_answered_nothing(case: str, with_key: bool, is_right_server: bool
                                   ) -> Callable[[Work], None]:
    """Who has another key, none, or asks another server's holder."""
    def check(work: Work) -> None:
        with contextlib.closing(Echo(work.programs, work.folder, "martlet", VALUE, True)) as echo:
            key = Echo.key(work.folder, f"{case}.key")
            place, server = split(echo.address)
            if not is_right_server:
                key, server = echo.key_file, KeyPair.made().public
            address = f"{place}{MARK}{server.hex()}" if with_key else place
            words = ["--to", address, "--total", 10, "--warm-up", 0, "--seconds", 0.5]
            echo.address, echo.key_file = address, key if with_key else None
            with Child(loader_of(work, echo, words), work.folder / "loader.out") as loader:
                loader.finish(60)
                told = loader.wait_for("ended", 1)
            ended = echo.end()
        expect(told["sent"] == 10 and told["right"] == 0, f"{told}")
        expect(ended["keys"] == 0, f"{ended['keys']} keys were answered")
        # Who cannot even open what the server says is not asked about.
        expected = with_key and is_right_server
        expect((ended["refusals"] > 0) == expected, f"{ended['refusals']} were turned away")
    return check


def nobody_falls_back_to_plain_text(work: Work) -> None:
    key = Echo.key(work.folder, "fallback.key")
    torn = work.folder / "torn.key"
    torn.write_text("\n".join(key.read_text().splitlines()[:1]))
    place, digits = "tcp://127.0.0.1:1", "0" * 64
    for words, why in (
            (["--to", f"{place}{MARK}{digits}"], "--key is missing"),
            (["--to", place, "--key", key], "lacks ?key="),
            (["--to", f"{place}{MARK}{digits[1:]}", "--key", key], "64 hexadecimal digits"),
            (["--to", f"{place}{MARK}{'g' * 64}", "--key", key], "64 hexadecimal digits"),
            (["--to", f"{place}{MARK}{digits}", "--key", torn], "`martlet keygen`"),
            (["--to", "127.0.0.1:1", "--protocol", "resp", "--key", key], "martlet and bare")):
        done = subprocess.run([work.programs / "loader", "--protocol", "martlet", *words],
                              capture_output=True, text=True, timeout=30, check=False)
        expect(done.returncode == 64 and why in done.stderr, f"{words}: {done.stderr[:80]}")


def processor_time_of_a_key_is_told(_: Work) -> None:
    detail = {"rates": {"hits": 200_000.0}, "cores": 0.5, "loader": {"cores": 0.3, "rate": 1e5}}
    expect(rows_curve.time_of_key(detail) == 2.5, "half a core for 200 000 a second")
    expect(abs(rows_curve.time_of_both(detail) - 5.5) < 1e-9, "and 0.3 for 100 000")
    nothing = {**detail, "rates": {"hits": 0.0}}
    expect(rows_curve.time_of_key(nothing) is None, "of nothing")
    expect(rows_curve.time_of_both(nothing) is None, "of both, of nothing")


def an_open_loop_keeps_its_rate(work: Work) -> None:
    told, _, code = drive(work, "resp", ["--rate", 2_000, "--in-flight", 10_000,
                                         "--warm-up", 0.2, "--seconds", 1])
    expect(code == 0, told["complaint"])
    # Poisson: never more than were due from the start on, by ten standard deviations. Fewer only if
    # the machine had no time for it, and then keys waited.
    expect(told["keys"] < 2_900, f"{told['keys']} keys in a second at 2 000/s")
    expect(told["keys"] > 1_550 or told["latency_us"]["max"] > 10_000, f"{told}")


def a_latency_counts_from_when_a_key_was_due(work: Work) -> None:
    """One in flight at twenty times what that reaches: keys wait in front of the connection."""
    told, _, _ = drive(work, "resp", ["--rate", 900_000, "--in-flight", 1, "--warm-up", 0.2,
                                      "--seconds", 0.5])
    expect(told["latency_us"]["p50"] > 100_000, f"waiting is not counted: {told['latency_us']}")
    expect(told["backlog_max"] > 1_000, f"no backlog is told: {told['backlog_max']}")


def percentiles_ascend(work: Work) -> None:
    told, _, _ = drive(work, "text", ["--in-flight", 8, "--connections", 2, "--warm-up", 0.1,
                                      "--seconds", 0.5])
    shares = [share for share in told["latency_us"].values() if share is not None]
    expect(shares == sorted(shares) and shares[0] > 0, f"{told['latency_us']}")
    expect(told["keys"] <= told["right"], "more was counted in the window than answered")


def what_servers_say_is_understood(_: Work) -> None:
    info = ("# Stats\r\ntotal_connections_received:3\r\ntotal_commands_processed:70\r\n"
            "instantaneous_input_kbps:0.05\r\nkeyspace_hits:40\r\nkeyspace_misses:2\r\n")
    expect(systems.redis_counters(info) == {"gets": 42, "hits": 40, "sets": 70, "commands": 70},
           "INFO stats")
    stats = "STAT version 1.6\r\nSTAT cmd_get 9\r\nSTAT cmd_set 4\r\nSTAT get_hits 8\r\n"
    expect(systems.memcached_counters(stats)
           == {"gets": 9, "hits": 8, "sets": 4, "commands": 13}, "stats")


def what_loaders_say_is_understood(_: Work) -> None:
    line = "GET k: rps=90.0 (overall: 1000.5) avg_msec=1.0\rGET k: rps=1.0 (overall: 2000.25) a"
    expect(redis_benchmark_rate(line) == 2000.25, "redis-benchmark -q")
    expect(redis_benchmark_rate("") is None, "redis-benchmark that said nothing")
    bench = '{"keys_per_second":10.5,"latency_us":{"p50":1.5},"errors":0}'
    expect(bench_report(f"loading\n{bench}\n")
           == {"rate": 10.5, "latency_us": {"p50": 1.5}, "errors": 0}, "martlet bench --json")
    expect(bench_report("") == {}, "a bench that said nothing")


def sample_row() -> Row:
    row = Row("gets", "gets", [Contestant("a", "A", "keys/s", [30.0, 40.0, None]),
                               Contestant("b", "B", "keys/s", [10.0, 20.0, 30.0]),
                               Contestant("c", "C", "keys/s", [15.0, None, 60.0])])
    row.ratios.append(Ratio("A ÷ the best", ratio_by_round(row, "a", ["b", "c"], max), 1.5, 4.0))
    return row


def ratios_are_of_one_round(_: Work) -> None:
    ratio = sample_row().ratios[0]
    expect(ratio.values == [2.0, 2.0, None], f"{ratio.values}")
    expect(ratio.spread == Spread(2.0, 2.0, 2.0), f"{ratio.spread}")
    expect(ratio.verdict == "reached", ratio.verdict)
    expect(Ratio("", [1.2], 1.0, None, True).verdict == "**missed**", "a bound from above")
    expect(Ratio("", [0.4], 1.0, 0.5, True).verdict == "reached, also the stretch", "a stretch")
    expect(Ratio("", [None], 1.0).verdict == "not measured", "nothing measured")


def nothing_is_read_off_outside_of_what_was_measured(_: Work) -> None:
    points = [(40.0, 0.2), (10.0, 0.4)]
    expect(abs(at_memory(points, 20.0) - 0.3) < 1e-9, "half way, by the logarithm")
    expect(at_memory(points, 10.0) == 0.4, "at a point")
    expect(at_memory(points, 41.0) is None and at_memory(points, 9.0) is None, "outside")


def reports_are_written_whole(work: Work) -> None:
    report.write(work.folder, {"date": "today"}, [sample_row()], ["a command"])
    text = (work.folder / "report.md").read_text()
    expect("| A ÷ the best | ≥ 1.5 × | ≥ 4 × | 2 × | reached |" in text, text)
    expect("| A | 35.0 (30.0 – 40.0) keys/s |" in text, text)
    expect('"reached": true' in (work.folder / "report.json").read_text(), "report.json")


CHECKS: List[Tuple[str, Callable[[Work], None]]] = [
    ("counts_agree.martlet", counts_agree("martlet", ["--gather", "--batch", 128])),
    ("counts_agree.martlet_batches", counts_agree("martlet", ["--batch", 64])),
    ("counts_agree.martlet_sets", counts_agree("martlet", ["--operation", "set"])),
    ("counts_agree.martlet_threads", counts_agree("martlet", ["--connections", 4])),
    ("counts_agree.bare", counts_agree("bare", ["--in-flight", 32])),
    ("counts_agree.resp", counts_agree("resp", ["--connections", 8])),
    ("counts_agree.resp_batches", counts_agree("resp", ["--batch", 50])),
    ("counts_agree.resp_sets", counts_agree("resp", ["--operation", "set"])),
    ("counts_agree.resp_set_batches", counts_agree("resp", ["--operation", "set", "--batch", 8])),
    ("counts_agree.text", counts_agree("text", ["--connections", 8])),
    ("counts_agree.text_batches", counts_agree("text", ["--batch", 50])),
    ("counts_agree.text_sets", counts_agree("text", ["--operation", "set"])),
    ("counts_agree.spinning", counts_agree("resp", ["--in-flight", 1, "--spin", 50])),
    ("counts_agree.keys", counts_agree("martlet", [], True)),
    ("counts_agree.keys_batches", counts_agree("martlet", ["--batch", 64], True)),
    ("counts_agree.keys_connections", counts_agree("martlet", ["--connections", 4], True)),
    ("counts_agree.keys_bare", counts_agree("bare", ["--in-flight", 32], True)),
    ("counts_in_mid_run.martlet", an_echo_tells_its_counts_in_mid_run("martlet")),
    ("counts_in_mid_run.resp", an_echo_tells_its_counts_in_mid_run("resp")),
    ("strangers.another_key", strangers_are_answered_nothing("another", True, True)),
    ("strangers.another_server", strangers_are_answered_nothing("server", True, False)),
    ("strangers.no_key", strangers_are_answered_nothing("none", False, True)),
    ("nobody_falls_back_to_plain_text", nobody_falls_back_to_plain_text),
    ("processor_time_of_a_key_is_told", processor_time_of_a_key_is_told),
    ("wrong_values_are_seen.martlet", wrong_values_are_seen("martlet")),
    ("wrong_values_are_seen.resp", wrong_values_are_seen("resp")),
    ("wrong_values_are_seen.text", wrong_values_are_seen("text")),
    ("an_open_loop_keeps_its_rate", an_open_loop_keeps_its_rate),
    ("a_latency_counts_from_when_a_key_was_due", a_latency_counts_from_when_a_key_was_due),
    ("percentiles_ascend", percentiles_ascend),
    ("what_servers_say_is_understood", what_servers_say_is_understood),
    ("what_loaders_say_is_understood", what_loaders_say_is_understood),
    ("ratios_are_of_one_round", ratios_are_of_one_round),
    ("nothing_is_read_off_outside", nothing_is_read_off_outside_of_what_was_measured),
    ("reports_are_written_whole", reports_are_written_whole),
]


def run(folder: pathlib.Path, programs: pathlib.Path) -> int:
    """Runs every check; the exit code."""
    work, failed = Work(folder, programs), 0
    for name, check in CHECKS:
        try:
            check(work)
            print(f"ok {name}", flush=True)
        except Exception as why:  # pylint: disable=broad-except
            failed += 1
            print(f"not ok {name}: {type(why).__name__}: {why}", flush=True)
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0
