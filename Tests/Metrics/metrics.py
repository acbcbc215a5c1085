"""Metrics of a real cluster, read by a real Prometheus. Started by `run`."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any, Callable, Dict, List, Set

from watcher import GaveUp, Prometheus, get, wait_until

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "deploy" / "alerts.yaml"
OPEN_METRICS = "application/openmetrics-text; version=1.0.0"


class Run:
    """A cluster that `up` runs, and its Prometheus."""

    def __init__(self, program: str, directory: Path) -> None:
        self.program = program
        self.directory = directory
        self.up = self._start()
        self.ready: Dict[str, Any] = json.loads((directory / "ready.json").read_text())
        roles = [self.ready["publisher"], *self.ready["nodes"]]
        self.cluster: str = self.ready["publisher"]["endpoint"]
        self.gateway, self.gateway_log = self._start_gateway()
        self.api = self._place("the gateway listens on ")
        self.gateway_url = self._place("metrics and health are answered on ")
        self.urls: List[str] = [*(role["http"] for role in roles), self.gateway_url]
        self.targets = [url.removeprefix("http://") for url in self.urls]
        self.prometheus = Prometheus(directory, self.targets, RULES)

    def _start_gateway(self) -> "tuple[subprocess.Popen[bytes], Path]":
        """On ports that the system chooses."""
        path = self.directory / "gateway.log"
        with path.open("w") as log:
            gateway = subprocess.Popen(
                [self.program, "gateway", "--bind", "127.0.0.1:0", "--http", "0",
                 "--cluster", self.cluster, "--near-cache", "1MiB"], stdout=log,
                stderr=subprocess.STDOUT)
        return gateway, path

    def _place(self, words: str) -> str:
        """The URL that the gateway's log has behind these words."""
        def found() -> str:
            match = re.search(re.escape(words) + r"(\S+)\n", self.gateway_log.read_text())
            return match[1] if match else ""
        return str(wait_until(f"the gateway says: {words}", found))

    def _start(self) -> "subprocess.Popen[bytes]":
        """Takes another place if a port is in use."""
        for _ in range(10):
            port = random.randrange(20_000, 31_900)
            with (self.directory / "up.log").open("w") as log:
                up = subprocess.Popen(
                    [self.program, "up", "--port", str(port), "--nodes", "3", "--shards", "2",
                     "--disk", "32MiB", "--memory", "64MiB", "--dir", str(self.directory / "up"),
                     "--ready-file", str(self.directory / "ready.json")],
                    stdout=log, stderr=subprocess.STDOUT)
            wait_until("the cluster is ready", lambda: (
                (self.directory / "ready.json").exists() or up.poll() is not None))
            if up.poll() is None:
                return up
            if "in use" not in (self.directory / "up.log").read_text():
                raise GaveUp(f"up ended: {(self.directory / 'up.log').read_text()}")
        raise GaveUp("ten places were all in use")

    def martlet(self, *arguments: str) -> str:
        """What a command prints."""
        return subprocess.run(
            [self.program, *arguments, "--cluster", self.cluster], check=True,
            stdout=subprocess.PIPE, timeout=60, text=True).stdout

    def stop(self) -> None:
        """Ends all of it."""
        self.prometheus.stop()
        self.gateway.terminate()
        # One that was stopped does not hear that it should end.
        for node in self.ready["nodes"]:
            try:
                os.kill(node["pid"], signal.SIGCONT)
            except ProcessLookupError:
                pass
        self.up.terminate()
        try:
            self.up.wait(30)
        except subprocess.TimeoutExpired:
            self.up.kill()
            self.up.wait()
        self.gateway.wait(30)


def expect(holds: Any, sentence: str) -> None:
    """Fails with the sentence unless it holds."""
    if not holds:
        raise GaveUp(sentence)


def series(text: str) -> Set[str]:
    """Names and labels of the samples of a page."""
    return {line.rpartition(" ")[0] for line in text.splitlines() if not line.startswith("#")}


def everybody_is_alive_and_ready(run: Run) -> None:
    for url in run.urls:
        for path in ["/healthz", "/livez", "/readyz"]:
            status, _, body = get(url + path)
            expect(status == 200, f"{url}{path}: {status} {body}")
        status, kind, _ = get(url + "/nothing")
        expect((status, kind) == (404, "application/problem+json"), f"{status} {kind}")


def promtool_takes_every_page(run: Run) -> None:
    for url in run.urls:
        status, kind, text = get(url + "/metrics")
        expect(status == 200 and kind.startswith("text/plain; version=0.0.4"), f"{status} {kind}")
        checked = subprocess.run(
            ["promtool", "check", "metrics"], input=text, text=True, capture_output=True)
        expect(checked.returncode == 0, f"{url}: {checked.stdout}{checked.stderr}")


def both_forms_say_the_same(run: Run) -> None:
    for url in run.urls:
        older = series(get(url + "/metrics")[2])
        _, kind, text = get(url + "/metrics", {"Accept": OPEN_METRICS})
        expect(kind.startswith(OPEN_METRICS), kind)
        expect(text.endswith("\n# EOF\n"), "no end")
        expect(series(text) == older, f"{series(text) ^ older}")


def rules_are_right(run: Run) -> None:
    checked = subprocess.run(
        ["promtool", "check", "rules", str(RULES)], text=True, capture_output=True)
    expect(checked.returncode == 0, checked.stdout + checked.stderr)
    count = len(re.findall(r"- alert:", RULES.read_text()))
    expect(f"{count} rules found" in checked.stdout, checked.stdout)

    def loaded() -> bool:
        data = run.prometheus.ask("rules")
        rules = [rule for group in (data or {"groups": []})["groups"] for rule in group["rules"]]
        return len(rules) == count and all(rule["health"] == "ok" for rule in rules)

    wait_until("every rule is evaluated without an error", loaded)


def prometheus_has_every_series(run: Run) -> None:
    wait_until("every target is up", lambda: run.prometheus.value("sum(up)") == len(run.urls))

    def missing() -> Set[str]:
        shown = {re.match(r"\w+", name)[0]  # type: ignore[index]
                 for url in run.urls for name in series(get(url + "/metrics")[2])}
        data = run.prometheus.ask("label/__name__/values")
        return shown - set(data or [])

    wait_until("every metric is there", lambda: not missing())
    names = run.prometheus.ask("label/__name__/values")
    expect(len([name for name in names if name.startswith("martlet_node_")]) > 80, "few names")
    for url, target in zip(run.urls, run.targets):
        count = run.prometheus.value(f'scrape_samples_scraped{{instance="{target}"}}')
        expect(count == len(series(get(url + "/metrics")[2])), f"{target}: {count}")


def figures_are_those_of_the_work(run: Run) -> None:
    for number in range(20):
        run.martlet("set", f"key-{number}", "value", "--tag", "all")
    for number in range(20):
        run.martlet("get", f"key-{number}")
    run.martlet("invalidate", "tag", "all")
    for expression, least in [
        ("sum(martlet_node_stored_total)", 20),
        ('sum(martlet_node_lookups_total{result="hit"})', 20),
        ("martlet_publisher_records_total", 1),
        ("martlet_publisher_publish_to_applied_seconds_count", 3),
        ("sum(martlet_node_turn_duration_seconds_count)", 40),
        ('sum(martlet_publisher_receipts_total{outcome="complete"})', 1),
        ("sum(martlet_publisher_node_live)", 3),
        ("min(martlet_node_lease_seconds) > 0", 0.001),
        ("sum(martlet_node_disk_open)", 6),
        ('count(process_resident_memory_bytes{job="martlet"} > 1e6)', 5),
        ("count(martlet_build_info)", 5),
    ]:
        wait_until(
            f"{expression} is {least}",
            lambda: (run.prometheus.value(expression) or 0) >= least, within=20)
    wait_until("nobody lags", lambda: run.prometheus.value("max(martlet_node_lag_records)") == 0)


def a_gateways_figures_are_those_of_its_requests(run: Run) -> None:
    for number in range(30):
        get(f"{run.api}/v1/images/{number}")
        get(f"{run.api}/v1/images/%zz")
    for expression, least in [
        ('sum(martlet_gateway_requests_total{method="GET",status="4xx"})', 60),
        ("sum(martlet_gateway_request_duration_seconds_count)", 30),
        ('martlet_gateway_cluster_operations_total{operation="get"}', 30),
        ('martlet_gateway_near_cache_reads_total{result="miss"}', 30),
        ('martlet_gateway_problems_total{problem="malformed-target"}', 30),
        ("sum(martlet_gateway_node_reached)", 3),
        ("martlet_gateway_publisher_reached", 1),
        ("martlet_gateway_connections_opened_total", 30),
    ]:
        wait_until(
            f"{expression} is {least}",
            lambda: (run.prometheus.value(expression) or 0) >= least, within=20)


def nothing_is_wrong_with_a_healthy_cluster(run: Run) -> None:
    expect(not run.prometheus.firing(), f"{run.prometheus.firing()}")


def every_query_of_the_dashboard_is_one(run: Run) -> None:
    text = (ROOT / "deploy" / "grafana-dashboard.json").read_text()
    expressions = [
        target["expr"] for panel in json.loads(text)["panels"]
        for target in panel.get("targets", [])]
    expect(len(expressions) > 40, f"{len(expressions)} queries")
    for expression in expressions:
        filled = expression.replace("$__rate_interval", "30s").replace("$instance", ".*")
        expect(run.prometheus.ask("query", query=filled) is not None, f"no query: {filled}")


def a_node_that_hangs_is_said_so(run: Run) -> None:
    """It is stopped, so that its port is open and nobody answers."""
    node = run.ready["nodes"][0]
    os.kill(node["pid"], signal.SIGSTOP)
    try:
        wait_until("the alerts fire", lambda: (
            "MartletProcessDown" in run.prometheus.firing()
            and "MartletNodeNotHeard" in run.prometheus.firing()), within=90)
        heard = run.prometheus.firing()["MartletNodeNotHeard"]
        expect([labels["node"] for labels in heard] == [node["id"]], f"{heard}")
    finally:
        os.kill(node["pid"], signal.SIGCONT)
    wait_until("the alerts end", lambda: not run.prometheus.firing(), within=90)


def nodes_without_a_publisher_are_alive_and_not_ready(run: Run) -> None:
    os.kill(run.ready["publisher"]["pid"], signal.SIGSTOP)
    try:
        for url in run.urls[1:4]:
            def reason() -> str:
                status, _, body = get(url + "/readyz")
                return str(json.loads(body)["detail"]) if status == 503 else ""
            sentence = wait_until("a node is not ready", reason, within=30)
            expect(sentence.startswith("SUSPECT: "), sentence)
            expect(get(url + "/livez")[0] == 200, "a suspect node is alive")
        wait_until(
            "the alert fires",
            lambda: len(run.prometheus.firing().get("MartletNodeNotLive", [])) == 3, within=60)
    finally:
        os.kill(run.ready["publisher"]["pid"], signal.SIGCONT)
    expect(get(run.gateway_url + "/livez")[0] == 200, "a gateway lives without a publisher")
    for url in run.urls:
        wait_until("everybody is ready", lambda: get(url + "/readyz")[0] == 200)


def a_node_that_ends_is_said_so(run: Run) -> None:
    node = run.ready["nodes"][2]
    os.kill(node["pid"], signal.SIGKILL)
    wait_until("the alerts fire", lambda: (
        "MartletProcessDown" in run.prometheus.firing()
        and "MartletNodeNotHeard" in run.prometheus.firing()), within=60)


CHECKS: List[Callable[[Run], None]] = [
    everybody_is_alive_and_ready, promtool_takes_every_page, both_forms_say_the_same,
    rules_are_right, prometheus_has_every_series, figures_are_those_of_the_work,
    a_gateways_figures_are_those_of_its_requests,
    nothing_is_wrong_with_a_healthy_cluster, every_query_of_the_dashboard_is_one,
    a_node_that_hangs_is_said_so, nodes_without_a_publisher_are_alive_and_not_ready,
    a_node_that_ends_is_said_so,
]


def main() -> int:
    directory = Path(tempfile.mkdtemp(prefix="martlet-metrics-"))
    failed = 0
    run = Run(sys.argv[1], directory)
    try:
        for check in CHECKS:
            try:
                check(run)
                print(f"ok    {check.__name__}")
            except Exception as error:  # pylint: disable=broad-except
                failed += 1
                print(f"FAIL  {check.__name__}: {error}")
                if not isinstance(error, GaveUp):
                    traceback.print_exc()
    finally:
        run.stop()
    keep = os.environ.get("MARTLET_METRICS_KEEP")
    if failed and keep:
        shutil.rmtree(keep, ignore_errors=True)
        shutil.copytree(directory, keep, ignore=shutil.ignore_patterns("data", "log", "n?"))
    shutil.rmtree(directory, ignore_errors=True)
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
