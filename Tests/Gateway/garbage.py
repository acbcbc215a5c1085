"""Garbage on every port of a whole cluster, beside clients that behave."""

from __future__ import annotations

import json
import multiprocessing
import time
from collections import Counter
from typing import Any, Dict, List

import httpx

from neighbours import Neighbour
from process_tools import wait_until
from strangers import Door, Stranger, statuses
from world import Figures, World

STRANGERS = 4
IDLE = "5s"
SETTLING_MAX = 40.0
"""After the last garbage: handshakes, silent connections and half requests have had their time."""
DESCRIPTORS_KEPT = 12
MEBIBYTE = 1 << 20
SAMPLES = 20
PEAK_MAX = {"gateway": 400, "publisher": 64, "node": 96}
KEPT_MAX = {"gateway": 200, "publisher": 32, "node": 64}
"""MiB that a process may hold more than before: at its worst, and when all is over. A gateway may
hold 256 MiB of values on their way; one that comes from a node is there twice for a moment."""
P99_MAX = 2.0
LATENCY_MAX = 9.0
BUSY_SHARE_MAX = 0.02
REFUSED = {400, 403, 404, 405, 408, 409, 412, 413, 416, 421, 431, 501, 503}
STATUSES = {
    "http": {100, 101, 200, 202, 204, 206, 302, 304} | REFUSED,
    "https": {100, 200, 202, 204, 206, 302, 304} | REFUSED,
    "health": {200, 400, 404, 405, 408, 413, 421, 431, 503},
}
"""What docs/http.md and docs/operations.md name, and can come to what is sent here."""


def garbage_on_every_port(program: str, seconds: float, seed: int) -> str:
    """Nobody ends, others are served, and what it took is given back."""
    with World(program, nodes=2, is_watched=True) as world:
        world.gateway("--idle", IDLE)
        world.gateway("--idle", IDLE, "--near-cache", "16MiB", *world.tls, name="tls")
        for name, size in (("hit", 20), ("large", 4 * MEBIBYTE)):
            answer = httpx.put(f"{world.url()}/v1/default/{name}", content=b"v" * size)
            assert answer.status_code == 204, answer.text
        figures = {name: Figures(each.pid) for name, each in world.processes.items()}
        before = {name: (each.descriptors(), each.memory()) for name, each in figures.items()}
        for each in figures.values():
            each.forget_peak()
        reports = _siege(world, seconds, seed)
        world.check()
        found = _heard(reports)
        grown = _owe_memory(figures, before)
        found += _owe_descriptors(world, figures, before)
        _owe_figures(world)
        return f"seed {seed}, {found}; {grown}"


def doors(world: World) -> List[Door]:
    """Every port of every process."""
    kinds = {"gateway": "http", "tls": "https"}
    return [Door(name, "health" if name.endswith(" http") else kinds.get(name, "zmq"), port)
            for name, port in world.ports.items()]


def _siege(world: World, seconds: float, seed: int) -> Dict[str, Any]:
    """Strangers and neighbours, each a process; what they report."""
    context = multiprocessing.get_context("fork")
    until = time.monotonic() + seconds
    beings: Dict[str, Any] = {
        f"stranger {number}": Stranger(f"{seed}/{number}", doors(world))
        for number in range(STRANGERS)}
    for name in ("gateway", "tls"):
        beings[f"neighbour {name}"] = Neighbour(world.url(name), f"of-{name}", f"{seed}/{name}")
    running = {}
    for name, being in beings.items():
        report = world.directory / f"{name}.json"
        process = context.Process(target=being.live, args=(until, report), daemon=True)
        process.start()
        running[name] = (process, report)
    _watch(world, until)
    for name, (process, _) in running.items():
        process.join(60)
        assert process.exitcode == 0, f"{name}: {process.exitcode}"
    return {name: json.loads(report.read_text()) for name, (_, report) in running.items()}


def _watch(world: World, until: float) -> None:
    """Shows how much memory each process holds meanwhile, and sees that each lives."""
    pause = max((until - time.monotonic()) / SAMPLES, 1.0)
    while time.monotonic() < until:
        time.sleep(max(min(pause, until - time.monotonic()), 0.0))
        world.check()
        held = {name: Figures(each.pid).memory() // MEBIBYTE
                for name, each in world.processes.items()}
        print(f"    MiB {held}", flush=True)


def _heard(reports: Dict[str, Any]) -> str:
    """Holds what was answered against the documents."""
    counts: Counter = Counter()
    faults: List[str] = []
    told = []
    for name, report in reports.items():
        faults += [f"{name}: {each}" for each in report["faults"]]
        if name.startswith("stranger"):
            counts.update(report["counts"])
            continue
        times = sorted(report["latencies"])
        p99 = times[int(len(times) * 0.99)]
        told.append(f"{name}: {len(times)} answers, p99 {p99 * 1_000:.0f} ms, "
                    f"most {times[-1] * 1_000:.0f} ms, busy {report['counts'].get('busy', 0)}")
        if p99 > P99_MAX or times[-1] > LATENCY_MAX:
            faults.append(f"{name}: too slow: {told[-1]}")
        if report["counts"].get("busy", 0) > BUSY_SHARE_MAX * len(times):
            faults.append(f"{name}: too often busy: {report['counts']}")
    for kind, allowed in STATUSES.items():
        seen = statuses(counts, kind)
        if set(seen) - allowed:
            faults.append(f"{kind}: statuses {seen}")
    print(f"    {dict(sorted(counts.items()))}", flush=True)
    assert not faults, "\n".join(faults)
    return "; ".join([f"{counts['connections']} connections, {counts['bytes'] >> 20} MiB", *told])


def _role(name: str) -> str:
    return name if name in PEAK_MAX else "gateway" if name == "tls" else "node"


def _owe_memory(figures: Dict[str, Figures], before: Dict[str, Any]) -> str:
    """- Returns: how much each grew at its worst."""
    peaks = {name: (each.memory("VmHWM") - before[name][1]) // MEBIBYTE
             for name, each in figures.items()}
    high = {name: grown for name, grown in peaks.items() if grown > PEAK_MAX[_role(name)]}
    assert not high, f"memory grew by MiB {peaks}"
    return f"MiB at most {peaks}"


def _owe_descriptors(world: World, figures: Dict[str, Figures], before: Dict[str, Any]) -> str:
    """All connections are given back, and most of the memory; how much was not."""
    def too_many() -> Dict[str, int]:
        return {name: each.descriptors() for name, each in figures.items()
                if each.descriptors() > before[name][0] + DESCRIPTORS_KEPT}

    began = time.monotonic()
    while too_many():
        assert time.monotonic() < began + SETTLING_MAX, f"descriptors are not back: {too_many()}"
        world.check()
        time.sleep(0.1)
    kept = {name: (each.memory() - before[name][1]) // MEBIBYTE for name, each in figures.items()}
    high = {name: grown for name, grown in kept.items() if grown > KEPT_MAX[_role(name)]}
    assert not high, f"memory kept, MiB: {kept}"
    return f"; MiB kept {kept}; descriptors back after {time.monotonic() - began:.1f} s"


def _owe_figures(world: World) -> None:
    """Everybody still answers, and no gateway has counted a fault."""
    with httpx.Client(verify=False, timeout=10.0) as client:
        for name in world.processes:
            page = f"http://127.0.0.1:{world.ports[f'{name} http']}/metrics"
            wait_until(f"{name} shows its figures", lambda: _shows(client, page), 10.0)
            lines = client.get(page).text.splitlines()
            faults = [line for line in lines if 'status="500"' in line or 'problem="fault"' in line]
            assert not [line for line in faults if not line.endswith(" 0")], faults
        for name in ("gateway", "tls"):
            answer = client.get(f"{world.url(name)}/v1/default/hit")
            assert answer.content == b"v" * 20, answer.text


def _shows(client: httpx.Client, page: str) -> bool:
    try:
        return client.get(page).status_code == 200
    except httpx.TransportError:
        return False
