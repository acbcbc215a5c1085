"""A headless Chromium, driven by its own protocol (CDP) over a WebSocket."""

from __future__ import annotations

import base64
import json
import os
import queue
import re
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

from process_tools import WITH_US
from websockets.sync.client import connect

PATIENCE = 30.0
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


class Browser:
    """Everything that it starts and writes ends with it."""

    def __init__(self) -> None:
        program = os.environ.get("MARTLET_CHROMIUM") or next(
            (each for each in PROGRAMS if shutil.which(each)), None)
        assert program, "no Chromium: apt-get install chromium"
        self.directory = Path(tempfile.mkdtemp(prefix="martlet-dashboard-browser-"))
        flags = [
            "--headless=new", "--remote-debugging-port=0", "--no-first-run", "--disable-gpu",
            "--disable-dev-shm-usage", "--disable-background-networking", "--disable-sync",
            "--disable-component-update", "--disable-extensions", "--hide-scrollbars",
            # A page that comes from the harness has no address, and would be kept from loopback's.
            "--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets",
            f"--user-data-dir={self.directory / 'profile'}",
            # It shows pages of this machine alone, and may be root in a container.
            *(["--no-sandbox"] if os.geteuid() == 0 else []),
        ]
        self.errors = open(self.directory / "errors", "w+", encoding="utf-8", errors="replace")
        self.process = subprocess.Popen(
            [*WITH_US, program, *flags, "about:blank"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=self.errors)
        self.socket = connect(self._place(), max_size=None, open_timeout=PATIENCE)
        self.number = 0
        self.answers: Dict[int, "queue.Queue[dict]"] = {}
        self.listeners: List[Callable[[dict], None]] = []
        self.lock = threading.Lock()
        threading.Thread(target=self._read, daemon=True).start()

    def _place(self) -> str:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            text = (self.directory / "errors").read_text(errors="replace")
            found = re.search(r"DevTools listening on (ws://\S+)", text)
            if found:
                return found.group(1)
            assert self.process.poll() is None, f"the browser ended: {text[-2000:]}"
            time.sleep(0.05)
        raise AssertionError("the browser has not told where it listens")

    def _read(self) -> None:
        try:
            for text in self.socket:
                message = json.loads(text)
                if "id" in message:
                    with self.lock:
                        waiting = self.answers.pop(message["id"], None)
                    if waiting:
                        waiting.put(message)
                else:
                    for listener in list(self.listeners):
                        listener(message)
        except Exception as error:  # The browser has ended, and who waits for it runs into time.
            self.ended = error

    def send(
        self, method: str, session: Optional[str] = None, **parameters: Any
    ) -> "queue.Queue[dict]":
        """Asks for something; where its answer comes, which may be there before this returns."""
        with self.lock:
            self.number += 1
            message = {"id": self.number, "method": method, "params": parameters}
            if session:
                message["sessionId"] = session
            waiting = self.answers[self.number] = queue.Queue()
            self.socket.send(json.dumps(message))
        return waiting

    def call(self, method: str, session: Optional[str] = None, **parameters: Any) -> dict:
        waiting = self.send(method, session, **parameters)
        answer = waiting.get(timeout=PATIENCE)
        assert "error" not in answer, f"{method}: {answer['error']}"
        return answer["result"]

    def page(self, width: int = 1440, height: int = 1000, scheme: str = "light") -> "Page":
        return Page(self, width, height, scheme)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.errors.close()
        shutil.rmtree(self.directory, ignore_errors=True)


class Page:
    """A tab of a context of its own: what it keeps ends with it."""

    def __init__(self, browser: Browser, width: int, height: int, scheme: str) -> None:
        self.browser = browser
        self.requests: List[str] = []
        """Where it asked for anything, in order."""
        self.complaints: List[str] = []
        """Errors and warnings of its console, and what nobody caught."""
        self.served: Dict[str, str] = {}
        """Pages that come from the harness, by URL."""
        self.context = browser.call("Target.createBrowserContext")["browserContextId"]
        target = browser.call(
            "Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.session = browser.call(
            "Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.listeners.append(self._hear)
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        # A certificate that a test has made is signed by nobody.
        self.call("Security.setIgnoreCertificateErrors", ignore=True)
        self.look(width, height, scheme)

    def look(self, width: int, height: int, scheme: str, reduced: bool = False) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height,
            deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce" if reduced else "no-preference"},
        ])

    def call(self, method: str, **parameters: Any) -> dict:
        return self.browser.call(method, self.session, **parameters)

    def _hear(self, message: dict) -> None:
        if message.get("sessionId") != self.session:
            return
        method, told = message["method"], message["params"]
        if method == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])
        elif method == "Network.webSocketCreated":
            self.requests.append(told["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(told["exceptionDetails"])[:800])
        elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning"):
            self.complaints.append(json.dumps(told["args"])[:800])
        elif method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            entry = told["entry"]
            self.complaints.append(f"{entry['source']}: {entry['text']} {entry.get('url', '')}")
        elif method == "Fetch.requestPaused":
            self.browser.send(
                "Fetch.fulfillRequest", self.session, requestId=told["requestId"],
                responseCode=200,
                responseHeaders=[{"name": "Content-Type", "value": "text/html; charset=utf-8"}],
                body=base64.b64encode(self.served[told["request"]["url"]].encode()).decode())

    def serve(self, url: str, text: str) -> None:
        """Has one page come from here, as if the server at its origin had it."""
        self.served[url] = text
        self.call("Fetch.enable", patterns=[{"urlPattern": each} for each in self.served])

    def open(self, url: str) -> None:
        self.call("Page.navigate", url=url)
        self.until("the page is read", "document.readyState === 'complete'")

    def run(self, script: str) -> Any:
        """The value of an expression; a promise is waited for."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True,
            allowUnsafeEvalBlockedByCSP=False)
        assert "exceptionDetails" not in answer, (script, answer["exceptionDetails"])
        return answer["result"].get("value")

    def until(self, what: str, script: str, patience: float = PATIENCE) -> Any:
        """Waits until an expression is true."""
        end = time.monotonic() + patience
        while True:
            value = self.run(script)
            if value:
                return value
            assert time.monotonic() < end, f"it took longer than {patience} s until {what}" + (
                f"; the page says: {self.run('document.body?.innerText')!r}"[:3000])
            time.sleep(0.05)

    def text(self, selector: str) -> str:
        return self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def says(self, selector: str, words: str, patience: float = PATIENCE) -> None:
        """Waits until an element says something."""
        self.until(
            f"{selector} says {words!r}",
            f"(document.querySelector({json.dumps(selector)})?.innerText ?? '')"
            f".includes({json.dumps(words)})", patience)

    def fill(self, selector: str, text: str) -> None:
        """As somebody who types does."""
        self.run(
            f"(e => {{ e.focus(); e.value = {json.dumps(text)};"
            " e.dispatchEvent(new Event('input', {bubbles: true}));"
            " e.dispatchEvent(new Event('change', {bubbles: true})); })"
            f"(document.querySelector({json.dumps(selector)}))")

    def click(self, selector: str) -> None:
        self.run(f"document.querySelector({json.dumps(selector)}).click()")

    def press(self, key: str, code: int = 0, text: str = "") -> None:
        keys = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **keys)
        self.call("Input.dispatchKeyEvent", type="keyUp", **keys)

    def shoot(self, path: Path, full: bool = True) -> None:
        parameters: Dict[str, Any] = {"format": "png"}
        if full:
            self.run("document.activeElement?.blur(); scrollTo({top: 0, behavior: 'instant'})")
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            parameters["captureBeyondViewport"] = True
            parameters["clip"] = {
                "x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        picture = self.call("Page.captureScreenshot", **parameters)["data"]
        path.write_bytes(base64.b64decode(picture))

    def close(self) -> None:
        self.browser.listeners.remove(self._hear)
        self.browser.call("Target.disposeBrowserContext", browserContextId=self.context)
