"""Checks of the live and control channels: records, heartbeats, replay, registration."""

from __future__ import annotations

import os
import time
from typing import List

from checking import Failure, expect
from cluster import Cluster
from martlet_client import Live, ServerError
from martlet_protocol import admin, control, following
from martlet_protocol.admin import Kind, Scope
from martlet_protocol.control import Mark, Record
from martlet_protocol.errors import Code
from martlet_protocol.header import Type
from martlet_protocol.reading import U64

SECONDS = 5.0


def heartbeat(live: Live, sequence: int = 0) -> control.Heartbeat:
    """The next heartbeat whose head is at or past a sequence."""
    deadline = time.monotonic() + SECONDS
    while True:
        heard = live.next(deadline - time.monotonic())
        if heard.type == Type.HEARTBEAT and heard.body.head.sequence >= sequence:
            assert isinstance(heard.body, control.Heartbeat)
            return heard.body


def _same_scope(one: Scope, other: Scope) -> bool:
    """Whether two scopes are the same, `default` being the absent namespace."""
    def plain(scope: Scope) -> Scope:
        name = "" if scope.namespace == "default" else scope.namespace
        return Scope(scope.kind, scope.name, name, scope.minimum_version, scope.hash_range)
    return plain(one) == plain(other)


def _follow(record: Record, mark: Mark) -> Mark:
    """The mark after a record, which must follow directly on another mark."""
    expect(record.epoch == mark.epoch, f"epoch {record.epoch} after {mark.epoch}")
    expect(record.sequence == mark.sequence + 1, f"{record.sequence} after {mark.sequence}")
    expect(record.previous_digest == mark.digest, f"the chain breaks at {record.sequence}")
    return record.mark


def subscribers_hear_a_heartbeat_at_once(cluster: Cluster) -> None:
    """A new subscription is answered with a heartbeat, and more follow by themselves."""
    live = cluster.client.live()
    try:
        first = heartbeat(live)
        expect(first.log_id, "the log id is 0")
        expect(first.topology == cluster.client.topology.version, "another topology version")
        begun = time.monotonic()
        for _ in range(2):
            heartbeat(live)
        expect(time.monotonic() - begun < 3, "two heartbeats took more than 3 s")
    finally:
        live.close()


def records_form_a_digest_chain(cluster: Cluster) -> None:
    """Subscribers get every record in order, chained by digests, and heartbeats with the head."""
    client, space = cluster.client, cluster.namespace()
    live = client.live()
    try:
        mark = heartbeat(live).head
        wanted = [
            [Scope(Kind.key, b"k", space), Scope(Kind.key, b"v", space, U64(9))],
            [Scope(Kind.tag, b"t", space)], [Scope(Kind.prefix, b"p", space)],
            [Scope(Kind.namespace, b"", space)],
            [Scope(Kind.key, b"%d" % index, space) for index in range(1_000)],
        ]
        operations = [os.urandom(16) for _ in wanted]
        for scopes, operation in zip(wanted, operations):
            client.invalidate(scopes, admin.WAIT_NONE, operation=operation)
        records: List[Record] = []
        deadline = time.monotonic() + SECONDS
        while len(records) < len(wanted):
            heard = live.next(deadline - time.monotonic())
            if heard.type == Type.RECORDS:
                records += [each for each in heard.body.records
                            if each.sequence > mark.sequence]
        for record, scopes, operation in zip(records, wanted, operations):
            mark = _follow(record, mark)
            same = len(record.scopes) == len(scopes) and all(
                _same_scope(*pair) for pair in zip(record.scopes, scopes))
            expect(same, f"record {record.sequence} holds other scopes")
            expect(record.operation == operation, f"record {record.sequence}: operation id")
        head = heartbeat(live, mark.sequence).head
        expect(head == mark, f"the head is {head}, the chain ends at {mark}")
    finally:
        live.close()


def observers_replay_from_a_mark(cluster: Cluster) -> None:
    """RESUME of an observer replays what followed its mark, page by page, up to the head."""
    client, space = cluster.client, cluster.namespace()
    live = client.live()
    try:
        beat = heartbeat(live)
    finally:
        live.close()
    for index in range(5):
        client.invalidate([Scope(Kind.key, b"%d" % index, space)])
    mark, seen = beat.head, 0
    for limit in (2, 1, 4_096, 4_096):
        answer = client.resume(mark, beat.log_id, limit)
        expect(answer.type == Type.REPLAY, f"{answer.type.name} instead of REPLAY")
        replay = answer.body
        expect(len(replay.records) <= limit, f"{len(replay.records)} records, {limit} asked for")
        for record in replay.records:
            mark = _follow(record, mark)
            seen += 1
    expect(seen == 5, f"{seen} records of 5 were replayed")
    expect(replay.head == mark, f"the head is {replay.head}, the replay ends at {mark}")
    expect(not replay.records, "there are records after the head")
    any_log = client.resume(beat.head, 0)
    expect(any_log.type == Type.REPLAY, f"log id 0: {any_log.type.name} instead of REPLAY")


def another_log_is_truncated(cluster: Cluster) -> None:
    """RESUME for another log, and from beyond the head, is answered with TRUNCATED."""
    client = cluster.client
    live = client.live()
    try:
        beat = heartbeat(live)
    finally:
        live.close()
    other = client.resume(beat.head, beat.log_id ^ 1)
    expect(other.type == Type.TRUNCATED, f"another log: {other.type.name}")
    expect(other.body.log_id == beat.log_id, "TRUNCATED tells another log id")
    head = beat.head
    forged = Mark(head.epoch, head.sequence, U64(head.digest ^ 1))
    answer = client.resume(forged, beat.log_id)
    expect(answer.type == Type.TRUNCATED, f"another digest: {answer.type.name}")
    beyond = Mark(head.epoch, U64(head.sequence + 1_000), head.digest)
    answer = client.resume(beyond, beat.log_id)
    expect(answer.type == Type.TRUNCATED, f"beyond the head: {answer.type.name}")


def strangers_are_not_registered(cluster: Cluster) -> None:
    """HELLO of an unknown node, and what a node says before HELLO, is `notRegistered`."""
    client = cluster.client
    mark = Mark(0, U64(0), U64(0))
    hello = control.Hello(U64(77), U64(0), mark, "stranger", ["tcp://127.0.0.1:9"])
    requests = [(Type.HELLO, hello), (Type.PING, control.Ping(U64(78), U64(1), mark, 2)),
                (Type.RESUME, control.Resume(U64(79), U64(0), mark, 10)),
                (Type.FLOORS, control.Floors(U64(80), U64(1), mark, 0))]
    for type, body in requests:
        try:
            answer = client.publisher.request(type, body)
        except ServerError as error:
            expect(error.code == Code.notRegistered, f"{type.name}: {error}")
        else:
            raise Failure(f"{type.name} of a stranger was answered with {answer.type.name}")
    receipt = client.invalidate([Scope(Kind.key, b"k", cluster.namespace())])
    cluster.applied_everywhere(receipt)


def followers_ask_for_what_they_may_see(cluster: Cluster) -> None:
    """FOLLOW shows what came after a place, waits where nothing did, and tells what is lost."""
    client, space = cluster.client, cluster.namespace()
    start = client.follow(following.Follow(1, 0, following.FROM_HEAD))
    expect(not start.records and not start.options, f"from the head: {start}")
    begun = time.monotonic()
    quiet = client.follow(following.Follow(10, 300, 0, start.through))
    expect(quiet.records or time.monotonic() - begun >= 0.25, "nothing came, and too soon")
    operations = [os.urandom(16) for _ in range(5)]
    for index, operation in enumerate(operations):
        client.invalidate([Scope(Kind.key, b"%d" % index, space)], operation=operation)
    place, seen = start.through, []
    while len(seen) < len(operations):
        answer = client.follow(following.Follow(2, 0, 0, place))
        expect(0 < len(answer.records) <= 2, f"{len(answer.records)} records")
        seen += [each for each in answer.records if each.operation in operations]
        place = answer.through
    expect([each.operation for each in seen] == operations, "another order than they were said in")
    expect(_same_scope(seen[0].scopes[0], Scope(Kind.key, b"0", space)), "another scope")
    plain = Mark(place.epoch, place.sequence, U64(0))
    expect(not client.follow(following.Follow(1, 0, 0, plain)).options, "a mark without a digest")
    beyond = Mark(place.epoch, U64(place.sequence + 1_000), U64(0))
    forged = Mark(place.epoch, place.sequence, U64(place.digest ^ 1))
    for other in (beyond, forged):
        lost = client.follow(following.Follow(1, 0, 0, other))
        expect(lost.options == following.LOST and not lost.records, f"after {other}: {lost}")


def followers_are_woken(cluster: Cluster) -> None:
    """FOLLOW that waits is answered as soon as something is invalidated."""
    client, space = cluster.client, cluster.namespace()
    start = client.follow(following.Follow(1, 0, following.FROM_HEAD))
    begun = time.monotonic()
    question = client.publisher.send(Type.FOLLOW, following.Follow(10, 4_000, 0, start.through))
    client.invalidate([Scope(Kind.key, b"k", space)])
    answer = client.publisher.answer(question, SECONDS)
    expect(answer.type == Type.FOLLOWED and answer.body.records, f"{answer}")
    expect(time.monotonic() - begun < 2, "the answer came late")


CHECKS = [
    followers_ask_for_what_they_may_see, followers_are_woken,
    subscribers_hear_a_heartbeat_at_once, records_form_a_digest_chain,
    observers_replay_from_a_mark, another_log_is_truncated, strangers_are_not_registered,
]
