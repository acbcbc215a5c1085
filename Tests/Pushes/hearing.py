"""What a subscriber hears, over a WebSocket or as events."""

from __future__ import annotations

import asyncio
import json
from typing import AsyncIterator, Dict, List, Optional, Tuple

import httpx
import websockets

PATIENCE = 20.0

Message = Dict[str, object]


def place(event_id: str) -> str:
    """The position that an event's id names, without its cluster."""
    return event_id.split("@")[0]


def sequence(position: object) -> int:
    return int(str(position).split(":")[1])


async def hear(socket: websockets.ClientConnection) -> Message:
    """The next message that is no heartbeat."""
    while True:
        message = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))
        if message["type"] != "heartbeat":
            return message


async def hear_kind(socket: websockets.ClientConnection, kind: str) -> Message:
    """The next message of a kind."""
    while True:
        message = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))
        if message["type"] == kind:
            return message


async def closed(socket: websockets.ClientConnection) -> Tuple[List[Message], int, str]:
    """What comes until it is closed, and the code and reason."""
    messages: List[Message] = []
    try:
        while True:
            messages.append(json.loads(await asyncio.wait_for(socket.recv(), PATIENCE)))
    except websockets.ConnectionClosed as end:
        assert end.rcvd is not None, "it was closed without a close frame"
        return messages, end.rcvd.code, end.rcvd.reason


async def events(
    client: httpx.AsyncClient, url: str, last: Optional[str] = None, token: Optional[str] = None
) -> AsyncIterator[Dict[str, str]]:
    """Server-sent events, field by field, without heartbeats."""
    headers = {"Accept": "text/event-stream"}
    if last is not None:
        headers["Last-Event-ID"] = last
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    async with client.stream("GET", url, headers=headers, timeout=PATIENCE) as answer:
        assert answer.status_code == 200, await answer.aread()
        assert answer.headers["content-type"].startswith("text/event-stream")
        event: Dict[str, str] = {}
        async for line in answer.aiter_lines():
            if line:
                name, _, value = line.partition(": ")
                event[name] = value
            elif event:
                if event.get("event") != "heartbeat":
                    yield event
                event = {}
