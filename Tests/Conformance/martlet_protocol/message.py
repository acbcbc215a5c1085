"""Whole messages: which body belongs to which type, frames to messages and back."""

from __future__ import annotations

from dataclasses import dataclass, field as member
from typing import Any, Callable, Dict, NamedTuple, Tuple

from . import (
    admin, comparing, control, data, explaining, fields, following, header, leaving, limits,
    pacing, queueing)
from .errors import Code, ProtocolError, malformed
from .fields import Fields
from .header import Type
from .reading import U64


class Codec(NamedTuple):
    """How the body of one type is written and read."""

    body: type
    counted: bool
    encode: Callable[[Any], Tuple[int, bytes]]
    decode: Callable[[int, bytes], Any]


_Empty = (admin.Empty, False, admin.encode_empty, admin.decode_empty)

CODECS: Dict[Type, Codec] = {
    Type.GET: Codec(data.Get, True, data.encode_get, data.decode_get),
    Type.SET: Codec(data.SetBody, True, data.encode_set, data.decode_set),
    Type.DELETE: Codec(data.Delete, True, data.encode_delete, data.decode_delete),
    Type.TOUCH: Codec(data.Touch, True, data.encode_touch, data.decode_touch),
    Type.CHUNK: Codec(data.Chunk, True, data.encode_chunk, data.decode_chunk),
    Type.RESULTS: Codec(data.Results, True, data.encode_results, data.decode_results),
    Type.ERROR: Codec(data.Error, False, data.encode_error, data.decode_error),
    Type.INVALIDATE: Codec(
        admin.Invalidate, True, admin.encode_invalidate, admin.decode_invalidate),
    Type.RECEIPT: Codec(admin.Receipt, True, admin.encode_receipt, admin.decode_receipt),
    Type.AWAIT: Codec(admin.Await, False, admin.encode_await, admin.decode_await),
    Type.STATUS: Codec(*_Empty),
    Type.STATUS_REPORT: Codec(
        admin.StatusReport, True, admin.encode_status_report, admin.decode_status_report),
    Type.TOPOLOGY: Codec(*_Empty),
    Type.TOPOLOGY_REPORT: Codec(
        admin.TopologyReport, True, admin.encode_topology_report, admin.decode_topology_report),
    Type.CONFIG: Codec(*_Empty),
    Type.CONFIG_REPORT: Codec(
        admin.ConfigReport, False, admin.encode_config_report, admin.decode_config_report),
    Type.SCAN: Codec(admin.Scan, False, admin.encode_scan, admin.decode_scan),
    Type.SCAN_PAGE: Codec(admin.ScanPage, True, admin.encode_scan_page, admin.decode_scan_page),
    Type.COUNT: Codec(admin.Count, True, admin.encode_count, admin.decode_count),
    Type.COUNTED: Codec(admin.Counted, False, admin.encode_counted, admin.decode_counted),
    Type.EXPLAIN: Codec(
        explaining.Explain, False, explaining.encode_explain, explaining.decode_explain),
    Type.EXPLANATION: Codec(
        explaining.Explanation, True, explaining.encode_explanation,
        explaining.decode_explanation),
    Type.COMPARE: Codec(
        explaining.Explain, False, explaining.encode_explain, explaining.decode_explain),
    Type.COMPARISON: Codec(
        comparing.Comparison, False, comparing.encode_comparison,
        comparing.decode_comparison),
    Type.FOLLOW: Codec(
        following.Follow, False, following.encode_follow, following.decode_follow),
    Type.FOLLOWED: Codec(
        following.Followed, True, following.encode_followed, following.decode_followed),
    Type.DRAIN: Codec(leaving.NodeOrder, False, leaving.encode_order, leaving.decode_order),
    Type.FORGET: Codec(leaving.NodeOrder, False, leaving.encode_order, leaving.decode_order),
    Type.PACE: Codec(pacing.Pace, True, pacing.encode_pace, pacing.decode_pace),
    Type.PACING_REPORT: Codec(
        pacing.PacingReport, True, pacing.encode_report, pacing.decode_report),
    Type.QUEUE: Codec(queueing.Queue, False, queueing.encode_queue, queueing.decode_queue),
    Type.QUEUE_REPORT: Codec(
        queueing.QueueReport, True, queueing.encode_report, queueing.decode_report),
    Type.DONE: Codec(leaving.Done, False, leaving.encode_done, leaving.decode_done),
    Type.HELLO: Codec(control.Hello, False, control.encode_hello, control.decode_hello),
    Type.WELCOME: Codec(control.Welcome, False, control.encode_welcome, control.decode_welcome),
    Type.RESUME: Codec(control.Resume, False, control.encode_resume, control.decode_resume),
    Type.REPLAY: Codec(control.Replay, True, control.encode_replay, control.decode_replay),
    Type.TRUNCATED: Codec(
        control.Truncated, False, control.encode_truncated, control.decode_truncated),
    Type.FLOORS: Codec(control.Floors, False, control.encode_floors, control.decode_floors),
    Type.FLOOR_SNAPSHOT: Codec(
        control.FloorSnapshot, True, control.encode_floor_snapshot,
        control.decode_floor_snapshot),
    Type.NOT_LEADER: Codec(
        control.NotLeader, False, control.encode_not_leader, control.decode_not_leader),
    Type.STEP_DOWN: Codec(
        control.StepDown, False, control.encode_step_down, control.decode_step_down),
    Type.PING: Codec(control.Ping, False, control.encode_ping, control.decode_ping),
    Type.PONG: Codec(control.Pong, False, control.encode_pong, control.decode_pong),
    Type.ACK: Codec(control.Ack, False, control.encode_ack, control.decode_ack),
    Type.BYE: Codec(control.Bye, False, control.encode_bye, control.decode_bye),
    Type.RECORDS: Codec(control.Records, True, control.encode_records, control.decode_records),
    Type.HEARTBEAT: Codec(
        control.Heartbeat, False, control.encode_heartbeat, control.decode_heartbeat),
}
"""The types whose bodies version 1 specifies."""


@dataclass
class Message:
    """A frame taken apart; its count follows from its body."""

    type: Type
    body: Any
    request_id: U64 = U64(0)
    fields: Fields = member(default_factory=Fields)


def encode(message: Message) -> bytes:
    """The frame of a message; a frame that would be too long is refused here."""
    count, body = CODECS[message.type].encode(message.body)
    extra = fields.encode(message.fields, message.type)
    frame = header.frame(message.type, count, message.request_id, extra, body)
    if len(frame) > limits.FRAME_BYTES:
        raise ValueError(f"a frame of {len(frame)} bytes is too long to be sent")
    return frame


def decode(frame: bytes) -> Message:
    """The message in a frame, or `ProtocolError`, or `OperationRefused`."""
    head, extra, body = header.split(frame)
    decoded = fields.decode(extra, head.type)
    if decoded.fresh and head.type != Type.GET:
        raise ProtocolError(Code.unsupported, f"{head.type.name} is never FRESH")
    codec = CODECS.get(head.type)
    if codec is None:
        raise ProtocolError(Code.unsupported, f"{head.type.name} is not in this release")
    if head.count and not codec.counted:
        raise malformed(f"{head.type.name} has a count of {head.count}")
    return Message(head.type, codec.decode(head.count, body), head.request_id, decoded)
