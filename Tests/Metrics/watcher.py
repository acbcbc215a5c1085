"""Prometheus as a process of its own, and what it is asked."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

PATIENCE = 60.0


class GaveUp(Exception):
    """Something did not happen in time."""


def wait_until(what: str, holds: Callable[[], Any], within: float = PATIENCE) -> Any:
    """Waits until `holds` gives something true, and hands that back."""
    deadline = time.monotonic() + within
    while True:
        found = holds()
        if found:
            return found
        if time.monotonic() > deadline:
            raise GaveUp(f"{what}: not within {within:.0f} s")
        time.sleep(0.1)


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def get(url: str, fields: Optional[Dict[str, str]] = None) -> Tuple[int, str, str]:
    """Status, content type and body; 0 where nobody answers."""
    request = urllib.request.Request(url, headers=fields or {})
    try:
        with urllib.request.urlopen(request, timeout=10) as reply:
            return reply.status, reply.headers["Content-Type"], reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers["Content-Type"], error.read().decode()
    except (urllib.error.URLError, OSError):
        return 0, "", ""


class Prometheus:
    """One that scrapes once a second, and does not wait before it alerts."""

    def __init__(self, directory: Path, targets: List[str], rules: Path) -> None:
        self.port = free_port()
        self.log = directory / "prometheus.log"
        # Whoever is tested does not wait for minutes.
        text = re.sub(r"for: \d+[mh]", "for: 1s", rules.read_text())
        (directory / "alerts.yaml").write_text(text)
        (directory / "prometheus.yml").write_text(json.dumps({
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": ["alerts.yaml"],
            "scrape_configs": [{
                "job_name": "martlet", "static_configs": [{"targets": targets}]}],
        }))
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                ["prometheus", f"--config.file={directory}/prometheus.yml",
                 f"--storage.tsdb.path={directory}/data",
                 f"--web.listen-address=127.0.0.1:{self.port}"],
                stdout=log, stderr=subprocess.STDOUT)

    def ask(self, path: str, **arguments: str) -> Any:
        """The data of an answer of its API; nothing where it does not answer."""
        query = urllib.parse.urlencode(arguments)
        status, _, body = get(f"http://127.0.0.1:{self.port}/api/v1/{path}?{query}")
        return json.loads(body)["data"] if status == 200 else None

    def query(self, expression: str) -> List[Any]:
        """The samples of an instant query."""
        data = self.ask("query", query=expression)
        return data["result"] if data else []

    def value(self, expression: str) -> Optional[float]:
        """The one value of a query; nothing where there is none."""
        samples = self.query(expression)
        return float(samples[0]["value"][1]) if len(samples) == 1 else None

    def firing(self) -> Dict[str, List[Dict[str, str]]]:
        """The alerts that fire, with their labels."""
        found: Dict[str, List[Dict[str, str]]] = {}
        data = self.ask("alerts") or {"alerts": []}
        for alert in data["alerts"]:
            if alert["state"] == "firing":
                found.setdefault(alert["labels"]["alertname"], []).append(alert["labels"])
        return found

    def stop(self) -> None:
        """Ends it."""
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
