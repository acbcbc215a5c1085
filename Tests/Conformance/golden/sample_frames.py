"""The well-formed frames of frames.json: every message type, and the corners of each."""

from __future__ import annotations

from functools import partial
from typing import Any, Dict, List

from martlet_protocol import (
    admin, comparing, control, data, explaining, following, header, leaving, limits, message,
    pacing, queueing, slots)
from martlet_protocol import fields as header_fields
from martlet_protocol.admin import HashRange, Kind, NodeElapsed, Scope
from martlet_protocol.control import Mark, Record
from martlet_protocol.fields import Fields, Position
from martlet_protocol.header import Type
from martlet_protocol.json_form import message_to_json
from martlet_protocol.message import Message
from martlet_protocol.reading import U64

ALL_64 = U64((1 << 64) - 1)
LAST = U64(limits.SEQUENCE_END - 1)
LOG_ID = U64(0x0123456789ABCDEF)
OPERATION = bytes(range(0x10, 0x20))
TOKEN = data.Token(7, 10_000, U64(41), U64(0x1122334455667788), ALL_64).encode()
POSITION = Position(7, U64(42))
PROOF = data.Proof(7, 3, U64(42), 2_970, 12)
MARK = Mark(7, U64(42), U64(0xFEDCBA9876543210))
ENDPOINT = "tcp://127.0.0.1:7401"


class Frames:
    """The list of frames in the making; request ids count up from 1."""

    def __init__(self) -> None:
        self.frames: List[Dict[str, Any]] = []

    def add(self, name: str, type: Type, body: Any, fields: "Fields | None" = None) -> None:
        """Adds a frame that encodes to its bytes and decodes from them."""
        live = type in (Type.RECORDS, Type.HEARTBEAT)
        id = U64(0 if live else len(self.frames) + 1)
        made = Message(type, body, id, fields or Fields())
        frame = message.encode(made)
        self.frames.append(
            {"name": name, "hex": frame.hex(), "decoded": message_to_json(made)})

    def add_other_order(self, name: str, type: Type, fields: Fields, extra: bytes, body: Any
                        ) -> None:
        """Adds a frame that decodes but that an encoder here would not write so."""
        made = Message(type, body, U64(len(self.frames) + 1), fields)
        count, body_bytes = message.CODECS[type].encode(body)
        frame = header.frame(type, count, made.request_id, extra, body_bytes)
        self.frames.append(
            {"name": name, "hex": frame.hex(), "decoded": message_to_json(made),
             "decodeOnly": True})


def _get(key: bytes, options: int = 0) -> data.Get:
    return data.Get([data.GetOperation(key, options)])


def _gets(frames: Frames) -> None:
    frames.add("GET one key", Type.GET, _get(b"k"))
    frames.add("GET with all options but RANGE", Type.GET, _get(b"user:1", 7))
    frames.add("GET with PREFETCH", Type.GET, _get(b"user:1", data.PREFETCH))
    part = data.Range(ALL_64, 524_288, 524_288)
    ranged = data.GetOperation(b"film", data.RANGE, part)
    frames.add("GET with RANGE", Type.GET, data.Get([ranged]))
    three = [data.GetOperation(b"a"), ranged, data.GetOperation(b"c", data.TOKEN)]
    frames.add("GET batch of 3, one with RANGE", Type.GET, data.Get(three))
    frames.add("GET longest key", Type.GET, _get(b"\xff" * limits.KEY_BYTES))
    frames.add("GET key of any bytes", Type.GET, _get(bytes(range(256))))
    many = [data.GetOperation(b"%04d" % index) for index in range(limits.OPERATIONS)]
    frames.add("GET batch of 1024", Type.GET, data.Get(many))


def _fields(frames: Frames) -> None:
    every = Fields(
        namespace="pages.v1_x-Y", at_least=POSITION, operation=OPERATION, deadline=250,
        topology=12, trace=b"00-4bf92f3577b34da6-01")
    frames.add("DELETE with every field but FRESH", Type.DELETE,
               data.Delete([data.DeleteOperation(b"k")]), every)
    frames.add("GET with FRESH", Type.GET, _get(b"k"), Fields(deadline=250, fresh=True))
    frames.add("GET around the cache", Type.GET, _get(b"k"),
               Fields(read_policy=4, max_age=1_500, max_stale=0xFFFFFFFF))
    for urgency in range(3):
        frames.add(f"GET from a peer, urgency {urgency}", Type.GET, _get(b"k", 2),
                   Fields(at_least=POSITION, deadline=250, from_peer=urgency))
    longest = Fields(namespace="n" * 64, at_least=Position(0xFFFFFFFF, LAST),
                     deadline=0xFFFFFFFF, topology=0xFFFFFFFF, trace=b"t" * 64)
    frames.add("GET with the longest fields", Type.GET, _get(b"k"), longest)
    field = header_fields.field
    swapped = field(0x05, bytes([12, 0, 0, 0])) + field(0x81, b"pages")
    frames.add_other_order("GET with fields in another order", Type.GET,
                           Fields(namespace="pages", topology=12), swapped, _get(b"k"))
    unknown = field(0x7E, b"later") + field(0x81, b"pages") + field(0x7E, b"") + field(0, b"x")
    frames.add_other_order("GET with unknown optional fields", Type.GET,
                           Fields(namespace="pages"), unknown, _get(b"k"))


def _sets(frames: Frames) -> None:
    def one(**extra: Any) -> data.SetBody:
        value = extra.pop("value", b"value")
        return data.SetBody([data.SetOperation(b"k", value, **extra)])

    frames.add("SET with the default ttl", Type.SET, one())
    frames.add("SET empty value that never expires", Type.SET,
               one(value=b"", ttl=U64(limits.NEVER)))
    frames.add("SET least and greatest ttl", Type.SET, data.SetBody([
        data.SetOperation(b"short", b"1", U64(1)),
        data.SetOperation(b"long", b"2", U64(limits.TTL_MAXIMUM))]))
    frames.add("SET with version, ETag, tags and token", Type.SET,
               one(ttl=U64(60_000), version=U64(9), etag=b'"v9"', tags=[b"red", b"blue"],
                   token=TOKEN), Fields(namespace="pages", operation=OPERATION))
    frames.add("SET with an upload", Type.SET,
               one(value=b"", upload=data.Upload(U64(77), 5_242_880)))
    tags = [bytes([index]) + b"t" * 254 for index in range(limits.TAGS)]
    frames.add("SET with 64 tags, longest tags and ETag, greatest version", Type.SET,
               one(version=ALL_64, etag=b"e" * 255, tags=tags))
    frames.add("SET that renews by ETag and version", Type.SET,
               one(value=b"", ttl=U64(60_000), version=U64(9), etag=b'"v9"', token=TOKEN,
                   options=data.RENEW))
    frames.add("SET with a doubled tag", Type.SET, one(tags=[b"red", b"red"]))
    frames.add("SET batch of 3", Type.SET, data.SetBody([
        data.SetOperation(b"a", b"1"), data.SetOperation(b"b", b"", tags=[b"x"]),
        data.SetOperation(b"c" * limits.KEY_BYTES, bytes(range(256)), version=U64(1))]))


def _other_requests(frames: Frames) -> None:
    keys = (b"a", b"b" * limits.KEY_BYTES, b"c")
    frames.add("DELETE one key", Type.DELETE, data.Delete([data.DeleteOperation(b"k")]))
    frames.add("DELETE batch of 3", Type.DELETE,
               data.Delete([data.DeleteOperation(key) for key in keys]))
    frames.add("TOUCH one key", Type.TOUCH,
               data.Touch([data.TouchOperation(b"k", U64(5_000))]))
    ttls = (U64(limits.DEFAULT_TTL), U64(limits.NEVER), U64(limits.TTL_MAXIMUM))
    frames.add("TOUCH batch of 3", Type.TOUCH, data.Touch(
        [data.TouchOperation(key, ttl) for key, ttl in zip(keys, ttls)]))
    frames.add("CHUNK first", Type.CHUNK, data.Chunk(U64(77), 600_000, 0, b"\x00\x01\x02"))
    frames.add("CHUNK last", Type.CHUNK,
               data.Chunk(ALL_64, limits.VALUE_BYTES, limits.VALUE_BYTES - 1, b"\xff"))


def _results(frames: Frames) -> None:
    def add(name: str, *results: data.Result, proof: data.Proof = PROOF) -> None:
        frames.add("RESULTS " + name, Type.RESULTS, data.Results(proof, list(results)))

    Result, Status = data.Result, data.Status
    never = U64(limits.NEVER)
    hit = Result(Status.HIT, 0, 1, U64(1_500), U64(58_500), b"value")
    miss = Result(Status.MISS)
    add("HIT", hit)
    add("HIT with every detail", Result(
        Status.HIT, data.UNFENCED, 2, U64(1), never, b"v", U64(9), b'"v9"',
        [b"red", b"blue"], None, POSITION))
    add("HIT empty value", Result(Status.HIT, 0, 1, U64(0), never))
    add("HIT first part of a large value", Result(
        Status.HIT, 0, 1, U64(2), never, b"part", whole=data.Whole(ALL_64, 5_242_880)))
    for kept in (False, True):
        add(f"HIT for a peer, kept {kept}", Result(
            Status.HIT, 0, 1, U64(1), U64(2), b"v", fill_position=POSITION,
            terms=data.Terms(30_000, 0xFFFFFFFF, not kept)))
    add("MISS of what there is none of", Result(
        Status.MISS, 16, 0, U64(1), U64(2), fill_position=POSITION,
        terms=data.Terms(0, 0, False)))
    for cause in range(1, 15):
        add(f"FAILED cause {cause}", Result(Status.FAILED, 0, cause, retry_after=cause))
    add("MISS", miss)
    add("MISS with token", Result(Status.MISS, token=TOKEN))
    add("MISS with retry after", Result(Status.MISS, retry_after=25))
    add("STALE with all flags from the origin", Result(
        Status.STALE, 7, 3, U64(90_000), U64(0), b"old"))
    add("BEHIND shard", Result(Status.BEHIND, 0, 1))
    add("BEHIND lease", Result(Status.BEHIND, 0, 2), proof=data.Proof(7, 5, U64(41), 0, 12))
    add("STORED", Result(Status.STORED))
    add("STORED unfenced", Result(Status.STORED, data.UNFENCED))
    replicated = data.Token(7, 10_000, U64(42), U64(0), U64(0)).encode()
    add("STORED with token", Result(Status.STORED, token=replicated))
    add("REMOVED", Result(Status.REMOVED))
    add("TOUCHED", Result(Status.TOUCHED, ttl=U64(5_000)))
    add("RECEIVED", Result(Status.RECEIVED))
    for cause in range(1, 13):
        add(f"REFUSED cause {cause}", Result(Status.REFUSED, 0, cause))
    add("REFUSED with message", Result(
        Status.REFUSED, 0, 9, message="The key has 0 bytes; 1 to 4096 are allowed – é."))
    add("BUSY with retry after", Result(Status.BUSY, retry_after=0xFFFFFFFF))
    add("DEFERRED", hit, Result(Status.DEFERRED))
    add("CHANGED", Result(Status.CHANGED))
    frames.add_other_order("RESULTS with a status that is not known", Type.RESULTS, Fields(), b"",
                           data.Results(PROOF, [Result(200)]))
    add("batch of 3", hit, miss, Result(Status.HIT, 0, 1, U64(3), U64(4), b"\x00", U64(1)))
    add("of 1024", *([miss] * limits.OPERATIONS))
    for state in range(7):
        add(f"in state {state}", miss, proof=data.Proof(1, state, U64(0), 0, 1))
    add("with the greatest proof", miss,
        proof=data.Proof(0xFFFFFFFF, 6, LAST, 0xFFFFFFFF, 0xFFFFFFFF))


def _errors(frames: Frames) -> None:
    for code in range(1, 12):
        frames.add(f"ERROR code {code}", Type.ERROR, data.Error(code, f"Sentence {code}."))
    frames.add("ERROR busy with retry after", Type.ERROR, data.Error(9, "Later."),
               Fields(retry_after=40))
    frames.add("ERROR without message", Type.ERROR, data.Error(1, ""))


SCOPES = [
    Scope(Kind.key, b"k"),
    Scope(Kind.key, b"k" * limits.KEY_BYTES, "pages", U64(9)),
    Scope(Kind.tag, b"red", "pages"),
    Scope(Kind.tag, b"t" * 255, "n" * 64, hash_range=HashRange(U64(0), ALL_64)),
    Scope(Kind.prefix, b"user:", hash_range=HashRange(U64(1), U64(2))),
    Scope(Kind.namespace, b"", "pages"),
    Scope(Kind.namespace),
    Scope(Kind.namespace, b"", "pages", hash_range=HashRange(U64(1 << 63), ALL_64)),
    Scope(Kind.everything),
    Scope(Kind.everything, hash_range=HashRange(U64(5), U64(5))),
]


def _admin(frames: Frames) -> None:
    for index, scope in enumerate(SCOPES):
        frames.add(f"INVALIDATE {Kind(scope.kind).name} ({index})", Type.INVALIDATE,
                   admin.Invalidate(2, 0, 5_000, [scope]))
    frames.add("INVALIDATE every kind, soft, with operation id", Type.INVALIDATE,
               admin.Invalidate(1, 1, 0, SCOPES), Fields(operation=OPERATION, deadline=5_000))
    frames.add("INVALIDATE that orders a store", Type.INVALIDATE,
               admin.Invalidate(0, 0, 2_000, SCOPES[:1], 1), Fields(operation=OPERATION))
    many = [Scope(Kind.key, b"%03d" % index) for index in range(limits.SCOPES)]
    frames.add("INVALIDATE 1000 scopes without waiting", Type.INVALIDATE,
               admin.Invalidate(0, 0, 0xFFFFFFFF, many))
    frames.add("RECEIPT without nodes", Type.RECEIPT, admin.Receipt(7, 0, 1, U64(42), 0))
    frames.add("RECEIPT with all kinds of nodes", Type.RECEIPT, admin.Receipt(
        7, 2, 0, U64(42), 3_000, [NodeElapsed("node1", 412), NodeElapsed("node2", 0)],
        [NodeElapsed("node3", 3_030_000)], [NodeElapsed("node4", limits.PENDING)]))
    for name in ("ada@box", "i" * 64, "Zoë – a cron job"):
        frames.add(f"INVALIDATE by {name}", Type.INVALIDATE,
                   admin.Invalidate(2, 0, 5_000, SCOPES[:1]),
                   Fields(operation=OPERATION, issuer=name))
    frames.add("RECEIPT with an issuer", Type.RECEIPT, admin.Receipt(
        7, 0, 1, U64(42), 3_000, [NodeElapsed("node1", 412)], [], []), Fields(issuer="ada@box"))
    frames.add("AWAIT", Type.AWAIT, admin.Await(2, 5_000, 7, U64(42)))
    frames.add("AWAIT without waiting", Type.AWAIT, admin.Await(0, 0, 0xFFFFFFFF, LAST))
    for type in (Type.STATUS, Type.TOPOLOGY, Type.CONFIG):
        frames.add(type.name, type, admin.Empty())
    frames.add("STATUS REPORT of a publisher", Type.STATUS_REPORT, admin.StatusReport(
        1, 3, 7, U64(42), MARK.digest, "publisher",
        [admin.Figure("invalidations", U64(42)), admin.Figure("refused", ALL_64)],
        [admin.NodeStatus("node1", 3, 7, U64(42), U64(99), 2_900),
         admin.NodeStatus("node2", 0, 0, U64(0), U64(0), 0)]))
    frames.add("STATUS REPORT of a shard", Type.STATUS_REPORT, admin.StatusReport(
        2, 4, 7, U64(40), U64(1), "node1", [admin.Figure("entries", U64(0))], []))
    frames.add("TOPOLOGY REPORT sharded", Type.TOPOLOGY_REPORT, admin.TopologyReport(
        12, 1, "tcp://127.0.0.1:7400", "tcp://127.0.0.1:7410", [
            admin.TopologyNode("node1", 3, 1_000, [ENDPOINT, "tcp://127.0.0.1:7402"]),
            admin.TopologyNode("node2", 255, 2_500, ["", ""])]))
    frames.add("TOPOLOGY REPORT replicated without nodes", Type.TOPOLOGY_REPORT,
               admin.TopologyReport(1, 2, "tcp://127.0.0.1:7400", "ipc:///run/live", []))
    frames.add("CONFIG REPORT", Type.CONFIG_REPORT,
               admin.ConfigReport(3, "topology: sharded\nnodes: 3\n# größer\n"))
    frames.add("CONFIG REPORT empty", Type.CONFIG_REPORT, admin.ConfigReport(0, ""))


def _scans(frames: Frames) -> None:
    for kind, name in ((1, b"k"), (2, b"red"), (3, b"user:"), (4, b"")):
        frames.add(f"SCAN {Kind(kind).name}", Type.SCAN,
                   admin.Scan(U64(0), 100, kind, 0, name), Fields(namespace="pages"))
    everything = admin.Scan(U64(0), 100, 5, 0, b"")
    frames.add("SCAN everything", Type.SCAN, everything)
    frames.add_other_order(
        "SCAN everything, whatever the namespace", Type.SCAN, Fields(namespace="pages"),
        header_fields.field(header_fields.NAMESPACE, b"pages"), everything)
    frames.add("SCAN count only, from a cursor", Type.SCAN,
               admin.Scan(ALL_64, 1_024, 4, admin.COUNT_ONLY, b""))
    frames.add("SCAN of the hottest", Type.SCAN,
               admin.Scan(U64(0), 1_000, 4, admin.HOTTEST, b""), Fields(namespace="pages"))
    hottest = admin.ScanPage(U64(5), U64(9), U64(900), [
        admin.ScanKey(b"user:1", 100, U64(59_000), 111),
        admin.ScanKey(b"user:2", 1, U64(limits.NEVER), 0xFFFF)])
    frames.add("SCAN PAGE of the hottest", Type.SCAN_PAGE, hottest)
    frames.add("SCAN PAGE", Type.SCAN_PAGE, admin.ScanPage(U64(5), U64(2), U64(300), [
        admin.ScanKey(b"user:1", 100, U64(59_000)),
        admin.ScanKey(b"\x00\xff", limits.VALUE_BYTES, U64(limits.NEVER))]))
    frames.add("SCAN PAGE last and empty", Type.SCAN_PAGE,
               admin.ScanPage(U64(0), U64(0), U64(0), []))


def _counts(frames: Frames) -> None:
    for index, scope in enumerate(SCOPES):
        frames.add(f"COUNT {Kind(scope.kind).name} ({index})", Type.COUNT, admin.Count([scope]))
    frames.add("COUNT of every kind", Type.COUNT, admin.Count(SCOPES))
    frames.add("COUNTED", Type.COUNTED, admin.Counted(U64(17), U64(4_096), 0))
    frames.add("COUNTED at most", Type.COUNTED, admin.Counted(ALL_64, ALL_64, admin.AT_MOST))


def _explanations(frames: Frames) -> None:
    nowhere, here = Position(0, U64(0)), Position(7, U64(42))
    frames.add("EXPLAIN", Type.EXPLAIN, explaining.Explain(b"user:1"), Fields(namespace="pages"))
    frames.add("EXPLAIN of the longest key", Type.EXPLAIN,
               explaining.Explain(b"k" * limits.KEY_BYTES))
    add = partial(frames.add, type=Type.EXPLANATION)
    add("EXPLANATION of nothing", body=explaining.Explanation(
        1, 3, 0, 2_900, 0, here, nowhere, None, []))
    entry = explaining.ExplainedEntry(
        5, 96, U64(7), U64(1_500), U64(58_500), U64(0), here, b'"e1"', [b"red", b"\x00\xff"])
    add("EXPLANATION of a fresh entry", body=explaining.Explanation(
        0, 3, explaining.ENTRY, 2_900, 0, here, nowhere, entry, []))
    plain = explaining.ExplainedEntry(
        limits.VALUE_BYTES, 0xFFFFFFFF, ALL_64, U64(0), U64(limits.NEVER), U64(800), nowhere)
    floors = [explaining.ExplainedFloor(cover, above, name, hard, soft, version)
              for cover, above, name, hard, soft, version in (
                  (explaining.HISTORY, 0, b"", here, nowhere, U64(0)),
                  (5, 0, b"", nowhere, here, U64(0)), (4, 0, b"", here, here, U64(0)),
                  (3, 1, b"user:", nowhere, here, U64(0)), (2, 1, b"red", here, nowhere, U64(0)),
                  (1, 0, b"", here, nowhere, ALL_64))]
    options = explaining.ENTRY | explaining.UNFENCED | explaining.SOFT
    for verdict in explaining.Verdict:
        add(f"EXPLANATION {verdict.name}, with every floor", body=explaining.Explanation(
            int(verdict), 5, options, 0, 700, here, here, plain, floors))


def _comparisons(frames: Frames) -> None:
    here = Position(7, U64(42))
    frames.add("COMPARE", Type.COMPARE, explaining.Explain(b"user:1"), Fields(namespace="pages"))
    add = partial(frames.add, type=Type.COMPARISON)
    shown = comparing.Side(5, U64(0x26C7827D889F6DA3), U64(7), b'"e1"')
    both = comparing.SHOWN | comparing.ORIGIN
    add("COMPARISON same", body=comparing.Comparison(
        0, 3, both, 0, 12, here, here, U64(1_500), shown, shown))
    other = comparing.Side(limits.VALUE_BYTES, ALL_64, ALL_64)
    add("COMPARISON differs", body=comparing.Comparison(
        1, 3, both | comparing.UNFENCED, 0, 0, here, Position(0, U64(0)), U64(0), shown, other))
    add("COMPARISON differs, with nothing at the origin", body=comparing.Comparison(
        1, 3, comparing.SHOWN, 0, 7, here, here, U64(0), shown))
    add("COMPARISON differs, with nothing shown", body=comparing.Comparison(
        1, 3, comparing.ORIGIN, 0, 7, here, here, U64(0), origin=other))
    for verdict in (2, 3, 4):
        name = comparing.ComparisonVerdict(verdict).name
        add(f"COMPARISON {name}", body=comparing.Comparison(verdict, 4, 0, 0, 0, here))
    for failure in range(1, 15):
        add(f"COMPARISON failed {failure}", body=comparing.Comparison(
            5, 3, 0, failure, 900, here))


def newer_records() -> List[Record]:
    """Records of forms that this version does not know, between two that it does."""
    plain = Scope(Kind.tag, b"red").encode()
    head = OPERATION + bytes(2) + b"\1\0" + bytes(4)
    forms = {
        "strength 2": OPERATION + b"\2" + head[17:] + plain,
        "reserved byte 41": head[:17] + b"\1" + head[18:] + plain,
        "reserved byte 44": head[:20] + b"\1" + head[21:] + plain,
        "no scope": head[:18] + bytes(6),
        "a scope of kind 6": head + b"\6" + plain[1:],
        "a scope with option bit 2": head + plain[:1] + b"\4" + plain[2:],
        "a scope that ends too early": head + plain[:-1],
        "bytes behind the scopes": head + plain + b"more",
        "another shape": bytes(range(64)),
        "as long as may be": b"\xFF" * (limits.RECORD_BYTES - control.ENVELOPE_BYTES),
    }
    chain: List[Record] = []
    digest = LOG_ID
    for content in [None, *forms.values(), None]:
        scopes = [Scope(Kind.everything)] if content else SCOPES[:1]
        chain.append(Record(7, U64(len(chain) + 1), digest, bytes(16), 0, scopes, content))
        digest = chain[-1].digest
    return chain


def _orders(frames: Frames) -> None:
    for type in (Type.DRAIN, Type.FORGET):
        frames.add(type.name, type, leaving.NodeOrder("node1"))
        frames.add(f"{type.name} of the longest id", type, leaving.NodeOrder("n" * 64))
    frames.add("DONE", Type.DONE, leaving.Done(U64(99), 1))
    frames.add("DONE about nothing", Type.DONE, leaving.Done(U64(0), 0))
    frames.add("DONE about many runs", Type.DONE, leaving.Done(ALL_64, 65_535))


def _pacings(frames: Frames) -> None:
    wide = [scope for scope in SCOPES if scope.kind != Kind.key and scope.hash_range is None]
    frames.add("PACE list", Type.PACE, pacing.Pace(pacing.LIST))
    frames.add("PACE begin", Type.PACE, pacing.Pace(pacing.BEGIN, 0, 30_000, U64(0), wide),
               Fields(operation=OPERATION))
    frames.add("PACE begin, softly, with 16 scopes", Type.PACE, pacing.Pace(
        pacing.BEGIN, 1, 604_800_000, U64(0),
        [Scope(Kind.tag, b"t%d" % index) for index in range(16)]), Fields(operation=OPERATION))
    frames.add("PACE cancel", Type.PACE, pacing.Pace(pacing.CANCEL, 0, 0, ALL_64))
    frames.add("PACING REPORT of nothing", Type.PACING_REPORT, pacing.PacingReport())
    nowhere = Position(0, U64(0))
    frames.add("PACING REPORT", Type.PACING_REPORT, pacing.PacingReport([
        pacing.Pacing(U64(1), pacing.OVER, 0, pacing.DURABLE, 30_000, 256, 256, 0, POSITION,
                      Position(7, LAST), wide),
        pacing.Pacing(U64(2), pacing.RUNNING, 1, pacing.DURABLE, 1_000, 8, 0, 1_000, nowhere,
                      nowhere, wide[:1]),
        pacing.Pacing(ALL_64, pacing.CANCELLED, 0, 0, 0xFFFFFFFF, 1_024, 1_023, 0xFFFFFFFF,
                      POSITION, POSITION, wide[:2])]))


def _queues(frames: Frames) -> None:
    frames.add("QUEUE list", Type.QUEUE, queueing.Queue(queueing.LIST))
    frames.add("QUEUE drop of a key", Type.QUEUE, queueing.Queue(queueing.DROP, b"user:1"),
               Fields(namespace="pages"))
    frames.add("QUEUE retry of everything", Type.QUEUE, queueing.Queue(queueing.RETRY))
    frames.add("QUEUE REPORT of nothing", Type.QUEUE_REPORT, queueing.QueueReport())
    frames.add("QUEUE REPORT", Type.QUEUE_REPORT, queueing.QueueReport(1, 2, 1, [
        queueing.QueuedWrite(U64(1), U64(1_500), 5, 3, 0, 2, "pages", b"a", b""),
        queueing.QueuedWrite(U64(2), U64(0), queueing.NO_VALUE, 0, 0, 0, "default", b"a", b""),
        queueing.QueuedWrite(ALL_64, ALL_64, 0, 0xFFFFFFFF, 422, 13, "pages", b"\xFF" * 4,
                             b"no good")]))


def _following(frames: Frames) -> None:
    add = partial(frames.add, type=Type.FOLLOW)
    add("FOLLOW from the head", body=following.Follow(1, 0, following.FROM_HEAD))
    add("FOLLOW from the beginning", body=following.Follow(1_024, 1_000))
    add("FOLLOW after a place", body=following.Follow(4_096, 0xFFFFFFFF, 0, MARK),
        fields=Fields(deadline=30_000))
    add = partial(frames.add, type=Type.FOLLOWED)
    add("FOLLOWED of nothing", body=following.Followed(MARK, POSITION))
    add("FOLLOWED of what is lost", body=following.Followed(
        MARK, Position(8, U64(0)), following.PART | following.LOST))
    everything = [Scope(Kind.everything)]
    add("FOLLOWED of a part", body=following.Followed(MARK, Position(7, LAST), following.PART, [
        following.Seen(U64(1), bytes(16), 1, 0, SCOPES),
        following.Seen(U64(41), bytes(16), 0, following.NEWER_FORM, everything),
        following.Seen(U64(42), bytes(16), 0, 0, everything)]))
    add("FOLLOWED of all", body=following.Followed(MARK, POSITION, 0, [
        following.Seen(U64(42), OPERATION, 0, 0, SCOPES[:1])]))


def _traces(frames: Frames) -> None:
    """Trace contexts, of the one form that is known; others are in the frames above."""
    context = bytes([0]) + bytes.fromhex(
        "4bf92f3577b34da6a3ce929d0e0e4736" "00f067aa0ba902b7") + bytes([1])
    frames.add("GET with a trace context", Type.GET, _get(b"user:1"),
               Fields(deadline=250, trace=context))
    frames.add("GET with a trace context and the longest state", Type.GET, _get(b"user:1"),
               Fields(trace=context + b"vendor=" + b"x" * 31))
    frames.add("DELETE with a trace context", Type.DELETE,
               data.Delete([data.DeleteOperation(b"k")]),
               Fields(operation=OPERATION, trace=context))
    body = admin.Invalidate(1, 1, 5_000, SCOPES[:1])
    frames.add("INVALIDATE with a trace context", Type.INVALIDATE, body,
               Fields(operation=OPERATION, trace=context, issuer="gateway"))


def records(count: int) -> List[Record]:
    """Contiguous records from sequence 1 on, with a digest chain that begins at LOG_ID."""
    chain: List[Record] = []
    digest = LOG_ID
    for index in range(count):
        operation = OPERATION if index % 2 else bytes(16)
        scopes = SCOPES[index % len(SCOPES) :][:3]
        chain.append(Record(7, U64(index + 1), digest, operation, index % 2, scopes))
        digest = chain[-1].digest
    return chain


def _floor_snapshots(frames: Frames) -> None:
    """An empty part, one with everything in it, and one between others."""
    def part(name: str, *body: Any) -> None:
        frames.add(name, Type.FLOOR_SNAPSHOT, control.FloorSnapshot(LOG_ID, MARK, *body))
    end = limits.FLOOR_BUCKETS
    part("FLOOR SNAPSHOT of nothing", U64(0), U64(0), 0, end, [], [], [])
    namespaces = [control.TouchedNamespace("", U64(40)), control.TouchedNamespace("n" * 64, LAST)]
    prefixes = [control.TouchedPrefix("", b"user:", U64(41)),
                control.TouchedPrefix("pages", bytes(range(128)), LAST)]
    buckets = [control.TouchedBucket(index, U64(sequence)) for index, sequence in (
        (0, 1), (1, 0x0102_0304_0506), (4_096, 42), (end - 1, LAST))]
    part("FLOOR SNAPSHOT with all kinds", U64(17), U64(39), 0, end, namespaces, prefixes, buckets)
    part("FLOOR SNAPSHOT in the middle", U64(17), U64(0), 1_024, 8_192, [], [], buckets[2:3])


def _control(frames: Frames) -> None:
    add = frames.add
    zero = Mark(0, U64(0), U64(0))
    add("HELLO of two shards", Type.HELLO, control.Hello(
        U64(99), LOG_ID, MARK, "node1", [ENDPOINT, "tcp://127.0.0.1:7402"]))
    add("HELLO of a node that knows nothing", Type.HELLO,
        control.Hello(ALL_64, U64(0), zero, "node-2", [ENDPOINT]))
    add("WELCOME", Type.WELCOME, control.Welcome(
        LOG_ID, MARK, U64(1), 3_000, 500, 3, 12, "tcp://127.0.0.1:7410"))
    add("WELCOME of a node that ran before", Type.WELCOME, control.Welcome(
        LOG_ID, MARK, U64(1), 3_000, 500, 3, 12, "tcp://127.0.0.1:7410"),
        Fields(previous_run=U64(98)))
    add("RESUME", Type.RESUME, control.Resume(U64(99), LOG_ID, MARK, 4_096))
    add("RESUME of an observer", Type.RESUME, control.Resume(U64(0), U64(0), zero, 1))
    chain = records(3)
    add("REPLAY at the head", Type.REPLAY, control.Replay(MARK, []))
    add("REPLAY of 3 records", Type.REPLAY, control.Replay(chain[-1].mark, chain))
    add("TRUNCATED", Type.TRUNCATED, control.Truncated(LOG_ID, MARK, U64(17)))
    add("FLOORS", Type.FLOORS, control.Floors(U64(99), LOG_ID, MARK, 0))
    add("FLOORS of the last bucket", Type.FLOORS,
        control.Floors(ALL_64, LOG_ID, MARK, limits.FLOOR_BUCKETS - 1))
    _floor_snapshots(frames)
    add("PING", Type.PING, control.Ping(U64(99), ALL_64, MARK, 3))
    add("PING for the head", Type.PING, control.Ping(U64(99), ALL_64, MARK, 3, 1))
    add("PONG", Type.PONG, control.Pong(ALL_64, LOG_ID, MARK, 3_000, 3, 12))
    add("PONG without grant", Type.PONG, control.Pong(U64(1), LOG_ID, MARK, 0, 3, 12))
    add("ACK", Type.ACK, control.Ack(U64(99), MARK))
    add("BYE", Type.BYE, control.Bye(U64(99)))
    add("RECORDS one", Type.RECORDS, control.Records(chain[:1]))
    add("RECORDS of newer forms", Type.RECORDS, control.Records(newer_records()))
    add("RECORDS ten, every scope", Type.RECORDS, control.Records(records(10)))
    highest = Record(0xFFFFFFFF, LAST, ALL_64, b"\xff" * 16, 1, SCOPES)
    add("RECORDS greatest numbers", Type.RECORDS, control.Records([highest]))
    thousand = [Scope(Kind.key, b"%03d" % index) for index in range(limits.SCOPES)]
    add("RECORDS of 1000 scopes", Type.RECORDS,
        control.Records([Record(1, U64(1), LOG_ID, bytes(16), 0, thousand)]))
    add("HEARTBEAT", Type.HEARTBEAT, control.Heartbeat(LOG_ID, MARK, 3, 12))
    add("HEARTBEAT of an empty log", Type.HEARTBEAT,
        control.Heartbeat(LOG_ID, Mark(1, U64(0), LOG_ID), 1, 1))


def _clusters(frames: Frames) -> None:
    add, cluster = frames.add, U64(0xC0FFEE)
    add("GET in a cluster", Type.GET, _get(b"k"), Fields(topology=12, cluster=cluster))
    add("RESULTS of a cluster", Type.RESULTS,
        data.Results(PROOF, [data.Result(data.Status.MISS)]), Fields(cluster=cluster))
    add("TOPOLOGY REPORT of a cluster", Type.TOPOLOGY_REPORT, admin.TopologyReport(
        12, 1, "tcp://127.0.0.1:7400", "tcp://127.0.0.1:7410", []), Fields(cluster=cluster))
    add("HELLO in a cluster", Type.HELLO,
        control.Hello(U64(99), LOG_ID, MARK, "node1", [ENDPOINT]), Fields(cluster=cluster))
    add("WELCOME in a cluster", Type.WELCOME, control.Welcome(
        LOG_ID, MARK, U64(1), 3_000, 500, 3, 12, "tcp://127.0.0.1:7410"),
        Fields(previous_run=U64(98), cluster=cluster))
    add("PONG in a cluster", Type.PONG, control.Pong(ALL_64, LOG_ID, MARK, 3_000, 3, 12),
        Fields(cluster=cluster))
    add("ERROR wrong cluster", Type.ERROR, data.Error(13, "Another cluster."))


def _representations(frames: Frames) -> None:
    def store(name: str, **extra: Any) -> None:
        frames.add(f"SET with {name}", Type.SET,
                   data.SetBody([data.SetOperation(b"k", b"value", **extra)]))

    def hit(name: str, **extra: Any) -> None:
        result = data.Result(data.Status.HIT, 0, 1, U64(1), U64(limits.NEVER), b"v",
                             fill_position=POSITION, **extra)
        frames.add(f"RESULTS HIT with {name}", Type.RESULTS, data.Results(PROOF, [result]))

    everything = {"content_type": "text/css; charset=utf-8", "content_encoding": "gzip",
                  "content_language": "de, en"}
    store("type, encoding and language", tags=[b"red"], **everything)
    store("the longest type", content_type="a" + " ~" * 127)
    hit("type, encoding and language", **everything)
    hit("a language", content_language="de")
    here = Position(7, U64(42))
    entry = explaining.ExplainedEntry(
        5, 96, U64(7), U64(1_500), U64(58_500), U64(0), here, b'"e1"', [b"red"])
    frames.add(
        "EXPLANATION of a value with type, encoding and language", Type.EXPLANATION,
        explaining.Explanation(0, 3, explaining.ENTRY, 2_900, 0, here, here, entry, []),
        Fields(**everything))


def _joining(frames: Frames) -> None:
    frames.add("HELLO of a node that joins", Type.HELLO, control.Hello(
        U64(99), U64(0), Mark(0, U64(0), U64(0)), "node-4", [ENDPOINT], weight=2_500))


def _leaders(frames: Frames) -> None:
    frames.add("NOT LEADER", Type.NOT_LEADER, control.NotLeader(ENDPOINT, "p2"))
    frames.add("NOT LEADER while none is known", Type.NOT_LEADER, control.NotLeader("", "", True))
    frames.add("STEP DOWN", Type.STEP_DOWN, control.StepDown())
    frames.add("TOPOLOGY REPORT of one of several publishers", Type.TOPOLOGY_REPORT,
               admin.TopologyReport(1, 2, ENDPOINT, ENDPOINT, [], True))
    none = Mark(0, U64(0), U64(0))
    frames.add("HEARTBEAT of a publisher that gives its leadership up", Type.HEARTBEAT,
               control.Heartbeat(U64(0), none, 0, 0))


def _moves(frames: Frames) -> None:
    table = slots.SlotTable(
        Position(7, U64(42)), U64(41),
        [slots.SlotMember(1, slots.MEMBER, 2, 1_000, "node1"),
         slots.SlotMember(7, slots.LEAVING, 1, 2_500, "node-7")],
        [slots.SlotRun(0, 8_192, 1, 0, U64(3)), slots.SlotRun(8_192, 1, 1, 1, U64(41)),
         slots.SlotRun(16_383, 1, 7, 0, U64(40))])
    frames.add("TOPOLOGY REPORT with the owners of slots", Type.TOPOLOGY_REPORT,
               admin.TopologyReport(12, 1, ENDPOINT, ENDPOINT, [
                   admin.TopologyNode("node1", 3, 1_000, [ENDPOINT, ""])], slots=table),
               Fields(cluster=LOG_ID))
    frames.add("GET of an entry whose slot moved", Type.GET, _get(b"k", 2),
               Fields(deadline=250, cluster=LOG_ID, move=POSITION))
    frames.add("DELETE that another node had queued", Type.DELETE,
               data.Delete([data.DeleteOperation(b"k")]),
               Fields(operation=OPERATION, deadline=4_000, forwarded=POSITION))
    frames.add("SET that an operator retries", Type.SET,
               data.SetBody([data.SetOperation(b"k", b"value")]),
               Fields(operation=OPERATION, forwarded=Position(0xFFFFFFFF, LAST)))


def all_frames() -> List[Dict[str, Any]]:
    """Every golden frame, in the order of the page."""
    frames = Frames()
    for section in (_gets, _fields, _sets, _other_requests, _results, _errors, _admin,
                    _scans, _counts, _explanations, _orders, _pacings, _control,
                    _queues, _comparisons, _following, _traces, _clusters,
                    _representations, _leaders, _joining, _moves):
        section(frames)
    return frames.frames
