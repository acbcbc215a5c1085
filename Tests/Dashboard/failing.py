"""What the page says when something is away: what, since when, and how old the figures are."""

from __future__ import annotations

import threading
import time

import httpx

from browser import Browser
from visiting import positions, shoot, visit
from world import World

LOST = ["ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE",
        "ERR_INCOMPLETE", "503", "504", "WebSocket", "TimeoutError", "Timeout"]


def a_killed_node_is_unreachable_and_the_others_go_on(program: str, browser: Browser) -> None:
    with World(program) as world, visit(browser, world, expected=LOST) as page:
        page.until("there are rates", "document.querySelector('[data-figure=lookups]')"
                   ".innerText.endsWith('/s')")
        world.kill("n2")
        page.says("[data-node=n2] .state", "UNREACHABLE")
        page.says("[data-node=n2] .why", "it told at")
        page.says("#summary", "1 of 2 nodes live")
        page.says("#cluster-note", "does not answer: n2")
        page.says("[data-node=n1] .state", "LIVE")
        page.says("[data-note=lookups]", "of 1 of 2 nodes")
        world.ask("POST", "/v1/invalidate", json={"keys": ["a"], "wait": "none"})
        page.says("#records", "1 of 2, not yet n2 (away)")
        page.says("[data-figure=lag]", "1 record")
        assert page.text("[data-note=lag]") == "n2"
        shoot(page, "node-away")
        # What cannot be counted may be invalidated all the same: it is why somebody is here.
        page.fill("#invalidate-names", "a")
        page.click("#invalidate-form button")
        page.says("#confirm", "could not be counted")
        page.click("#confirm-yes")
        page.says("#receipt", "at 1:2")
        world.start_node("n2")
        page.says("[data-node=n2] .state", "LIVE")
        page.says("#records", "all 2 applied")


class _Records:
    """Invalidations, so many a second or as many as the machine bears, until it is left."""

    def __init__(self, world: World, per_second: float) -> None:
        self.world, self.pause = world, 1 / per_second
        self.sent = 0
        self._is_over = threading.Event()
        workers = 1 if per_second < 100 else 4
        self.pause *= workers
        self._threads = [threading.Thread(target=self._send) for _ in range(workers)]

    def _send(self) -> None:
        with httpx.Client(base_url=self.world.url, timeout=30) as client:
            due = time.monotonic()
            while not self._is_over.is_set():
                client.post("/v1/invalidate", json={"keys": ["k"], "wait": "none"})
                self.sent += 1
                due = max(due + self.pause, time.monotonic() - 1)
                self._is_over.wait(max(0.0, due - time.monotonic()))

    def __enter__(self) -> "_Records":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        for thread in self._threads:
            thread.join()


def a_stopped_node_is_seen_however_many_records_come(program: str, browser: Browser) -> None:
    for per_second in (1, 10, 1_000):
        with World(program) as world, visit(browser, world, expected=LOST) as page:
            start = time.monotonic()
            with _Records(world, per_second) as records:
                page.until("records come", "document.querySelectorAll('#records .record').length")
                world.suspend("n2")
                page.says("[data-node=n2] .state", "UNREACHABLE", 15)
                seen = time.monotonic()
                page.says("#age", "as of ")
                # It goes on asking: what is shown stays young.
                end = seen + 5
                while time.monotonic() < end:
                    assert not page.run("document.body.classList.contains('stale')")
                    time.sleep(0.2)
            rate = records.sent / (time.monotonic() - start)
            print(f"    {per_second} wanted, {rate:.0f} records/s: the page tells it")


def what_is_shown_has_its_age(program: str, browser: Browser) -> None:
    with World(program) as world, visit(browser, world, expected=LOST) as page:
        assert page.run("/^as of [\\d:]+, [\\d.]+ m?s ago$/.test("
                        "document.querySelector('#age').innerText)"), page.text("#age")
        world.suspend("gateway")
        page.until("it is old", "document.body.classList.contains('stale')")
        assert page.run("document.querySelector('#age').classList.contains('old')")
        assert page.text("#banner") == "", "the gateway has time left to answer"


def a_gateway_that_is_gone_is_said_with_the_age_of_figures(program: str, browser: Browser) -> None:
    with World(program) as world, visit(browser, world, expected=LOST) as page:
        world.invalidate(keys=["before"])
        page.says("#records", "before")
        world.kill("gateway")
        page.says("#banner", "The gateway does not answer, since")
        page.says("#banner", "All figures are of")
        page.says("#stream-state", "it goes on after 1:1")
        assert page.text("[data-figure=lookups]") == "–"
        assert page.run("document.body.classList.contains('stale')")
        assert page.text("#summary").startswith("at "), page.text("#summary")
        assert "up to date" not in page.text("#strip")
        shoot(page, "gateway-gone")
        world.start_gateway()
        world.wait_until("nodes answer it", world._is_live)
        world.invalidate(keys=["while it was away"])
        page.says("#stream-state", "Live")
        page.says("#records", "while it was away")
        page.until("the banner goes", "document.querySelector('#banner').hidden")
        assert positions(page).count("1:1") == 1, "nothing is told twice"


def a_publisher_that_is_away_is_said(program: str, browser: Browser) -> None:
    with World(program) as world, visit(browser, world, expected=LOST) as page:
        world.kill("publisher")
        page.says(".publisher .state", "UNREACHABLE")
        page.says("#stream-state", "no new invalidations arrive")
        page.says("[data-node=n1]", "lag\nnot known")
        page.says("[data-node=n1] .state", "SUSPECT")
        page.says("[data-node=n1] .why", "The publisher does not answer it")
        world.start_publisher()
        page.says(".publisher .state", "LIVE")
        page.says("[data-node=n1] .state", "LIVE")
        page.says("#stream-state", "Live")


def a_cluster_that_is_away_is_told_from_a_gateway_that_is(program: str, browser: Browser) -> None:
    with World(program) as world:
        for name in ("n1", "n2", "publisher"):
            world.kill(name)
        with visit(browser, world, expected=LOST, is_live=False) as page:
            page.says("#banner", "The gateway is there, and the cluster does not answer it")
            page.says("#summary", "no cluster")
