"""wrk before a gateway, while what it reads is stored anew and invalidated."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Dict

import httpx

from clients import stand
from world import World

SECONDS = 3
THREADS = 8
HERE = os.path.dirname(os.path.abspath(__file__))


def readers_see_nothing_older_than_a_receipt(program: str) -> str:
    """Asked of a node each time."""
    with stand(program) as world:
        return _hold(world, "gateway")


def readers_of_what_is_remembered_neither(program: str) -> str:
    """With a near cache, through which it is invalidated."""
    with stand(program) as world:
        return _hold(world, "near")


def _hold(world: World, name: str) -> str:
    url = f"{world.url(name)}/v1/mix"
    with httpx.Client(timeout=20.0) as client:
        for number in range(50):
            key = f"k{number}"
            stored = client.put(f"{url}/{key}", content=f"value of {key}",
                                headers={"ETag": f'"of-{key}"'})
            assert stored.status_code == 204, stored.text
        least = world.directory / f"least-{name}"
        _show(least, 0)
        wrk = subprocess.Popen(
            ["wrk", f"-t{THREADS}", f"-c{THREADS}", f"-d{SECONDS}s", "-s", f"{HERE}/mix.lua",
             world.url(name), "--", str(least)], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        turns = 0
        try:
            while wrk.poll() is None:
                turns += 1
                _turn(client, url, turns, least)
            said, wrong = wrk.communicate(timeout=20)
        finally:
            if wrk.poll() is None:
                wrk.kill()
                wrk.wait()
        assert wrk.returncode == 0, wrong
        found: Dict[str, int] = json.loads(
            next(line for line in said.splitlines() if line.startswith("counts ")).split(" ", 1)[1])
        assert found["errors"] == found["wrong"] == found["old"] == 0, (found, wrong)
        assert min(found[each] for each in ("hit", "same", "miss", "moving")) > 100, found
        assert turns > 10, turns
        return (f"{found['requests'] * 1_000_000 // found['us']} a second, "
                f"p99 {found['p99_us'] / 1_000:.1f} ms, {turns} invalidations")


def _turn(client: httpx.Client, url: str, number: int, least: os.PathLike) -> None:
    """Stores one, and invalidates it: once there is a receipt nobody may see it."""
    stored = client.put(f"{url}/moving", content=f"{number}",
                        headers={"Surrogate-Key": "moves"})
    assert stored.status_code == 204, stored.text
    purge = {"Surrogate-Key": "moves"} if number % 2 else {}
    receipt = client.request("PURGE", url if purge else f"{url}/moving", headers=purge)
    assert receipt.status_code == 200 and receipt.json()["complete"], receipt.text
    _show(least, number + 1)


def _show(path: os.PathLike, number: int) -> None:
    new = f"{path}.new"
    with open(new, "w") as file:
        file.write(str(number))
    os.replace(new, path)
