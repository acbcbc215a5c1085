"""Checks of fill tokens, invalidation, positions, scans and status."""

from __future__ import annotations

import os
import time
from typing import Dict, List, Sequence

from checking import Failure, expect
from cluster import Cluster, all_are, at_least, hit, refused, refused_with, status_is, until
from martlet_client import ServerError
from martlet_protocol import admin, data, explaining, leaving, routing
from martlet_protocol.admin import HashRange, Kind, Scope
from martlet_protocol.data import Status
from martlet_protocol.errors import Cause, Code
from martlet_protocol.explaining import Verdict
from martlet_protocol.fields import Fields, Position
from martlet_protocol.header import Type
from martlet_protocol.reading import U64


def _token(cluster: Cluster, key: bytes, space: str) -> bytes:
    """A fill token for a key that is a miss."""
    answer = status_is(cluster.client.get(key, space, data.TOKEN), Status.MISS)
    expect(answer.result.token is not None, "a MISS without a token")
    return answer.result.token or b""


def misses_hand_out_one_token(cluster: Cluster) -> None:
    """The first GET with TOKEN gets a token, the second RETRY AFTER, one without neither."""
    client, space = cluster.client, cluster.namespace()
    plain = status_is(client.get(b"k", space), Status.MISS).result
    expect(plain.token is None, "a token without being asked")
    token = data.Token.decode(_token(cluster, b"k", space))
    expect(token.valid > 0 and token.nonce, f"{token}")
    second = status_is(client.get(b"k", space, data.TOKEN), Status.MISS).result
    expect(second.token is None, "two tokens for one key")
    expect(second.retry_after, f"RETRY AFTER is {second.retry_after}")


def tokens_fence_a_store(cluster: Cluster) -> None:
    """A store with its token is admitted and is not UNFENCED, and the waiting one then hits."""
    client, space = cluster.client, cluster.namespace()
    token = _token(cluster, b"k", space)
    stored = client.set(b"k", b"v", space, token=token, tags=[b"t"])
    status_is(stored, Status.STORED)
    expect(not stored.result.flags & data.UNFENCED, "a fenced store is marked UNFENCED")
    got = hit(client.get(b"k", space, data.TOKEN), b"v")
    expect(not got.result.flags & data.UNFENCED, "a fenced entry is marked UNFENCED")


def loads_that_began_before_are_not_stored(cluster: Cluster) -> None:
    """A token that is older than an invalidation of its key or of a tag does not store."""
    client, space = cluster.client, cluster.namespace()
    scopes = {
        b"by-key": Scope(Kind.key, b"by-key", space), b"by-tag": Scope(Kind.tag, b"t", space),
        b"by-prefix": Scope(Kind.prefix, b"by-p", space),
        b"by-namespace": Scope(Kind.namespace, b"", space),
        b"by-everything": Scope(Kind.everything),
    }
    for key, scope in scopes.items():
        token = _token(cluster, key, space)
        cluster.applied_everywhere(client.invalidate([scope]))
        late = client.set(key, b"old", space, token=token, tags=[b"t", b"u"])
        refused(late, Cause.invalidatedMeanwhile, f"{key!r} is")
        status_is(client.get(key, space), Status.MISS, f"{key!r} is")


def other_invalidations_do_not_void_a_load(cluster: Cluster) -> None:
    """A load goes on while another key, tag and namespace are invalidated."""
    client, space = cluster.client, cluster.namespace()
    token = _token(cluster, b"mine", space)
    others = [Scope(Kind.key, b"other", space), Scope(Kind.tag, b"other", space),
              Scope(Kind.prefix, b"mind", space), Scope(Kind.namespace, b"", space + "x")]
    cluster.applied_everywhere(client.invalidate(others))
    status_is(client.set(b"mine", b"v", space, token=token, tags=[b"t"]), Status.STORED)
    hit(client.get(b"mine", space), b"v")


def soft_entries_are_renewed(cluster: Cluster) -> None:
    """A MISS over a soft entry names its ETag; RENEW with the token makes it fresh again."""
    client, space = cluster.client, cluster.namespace()
    token = _token(cluster, b"k", space)
    client.set(b"k", b"v", space, token=token, etag=b"e1", tags=[b"t"])
    soft = [Scope(Kind.tag, b"t", space)]
    cluster.applied_everywhere(client.invalidate(soft, strength=admin.SOFT))
    miss = status_is(client.get(b"k", space, data.TOKEN), Status.MISS)
    expect(miss.result.etag == b"e1", f"the MISS names {miss.result.etag!r}")
    renewal = {"token": miss.result.token, "options": data.RENEW}
    refused(client.set(b"k", b"", space, etag=b"e2", **renewal), Cause.changed)
    miss = status_is(client.get(b"k", space, data.TOKEN), Status.MISS)
    renewal["token"] = miss.result.token
    status_is(client.set(b"k", b"", space, etag=b"e1", **renewal), Status.STORED)
    hit(client.get(b"k", space), b"v")


def renewals_that_come_too_late_are_refused(cluster: Cluster) -> None:
    """A RENEW under a token from before an invalidation brings nothing back."""
    client, space = cluster.client, cluster.namespace()
    token = _token(cluster, b"k", space)
    client.set(b"k", b"v", space, token=token, etag=b"e1")
    soft = [Scope(Kind.key, b"k", space)]
    cluster.applied_everywhere(client.invalidate(soft, strength=admin.SOFT))
    miss = status_is(client.get(b"k", space, data.TOKEN), Status.MISS)
    cluster.applied_everywhere(client.invalidate(soft, strength=admin.SOFT))
    late = client.set(b"k", b"", space, token=miss.result.token, etag=b"e1", options=data.RENEW)
    refused(late, Cause.invalidatedMeanwhile)
    status_is(client.get(b"k", space), Status.MISS)


def fresh_reads_reflect_what_was_acknowledged(cluster: Cluster) -> None:
    """A GET with FRESH misses what was invalidated before it, though nothing was waited for."""
    client, space = cluster.client, cluster.namespace()
    for index in range(20):
        key = b"k%d" % index
        client.set(key, b"v", space)
        receipt = client.invalidate([Scope(Kind.key, key, space)], wait=admin.WAIT_NONE)
        for node in cluster.ids if client.replicated else [None]:
            got = client.get(key, space, 0, node, Fields(deadline=5_000, fresh=True))
            status_is(got, Status.MISS, f"{key!r} on {node} is")
            seen = (got.proof.epoch, got.proof.sequence)
            expect(seen >= (receipt.epoch, receipt.sequence), f"answered at {seen}")


def invented_tokens_are_void(cluster: Cluster) -> None:
    """A token whose nonce was never handed out is REFUSED leaseVoid; the true one still works."""
    client, space = cluster.client, cluster.namespace()
    token = data.Token.decode(_token(cluster, b"k", space))
    true = token.encode()
    token.nonce = U64(token.nonce ^ 0x5A5A)
    refused(client.set(b"k", b"v", space, token=token.encode()), Cause.leaseVoid)
    status_is(client.set(b"k", b"v", space, token=true), Status.STORED, "the true token is")


ENTRIES: Dict[bytes, List[bytes]] = {
    b"user:1": [b"red", b"small"], b"user:2": [b"red"], b"user:30": [b"blue"],
    b"use": [b"blue"], b"page:1": [b"small"], b"page:2": [],
}


def _fill(cluster: Cluster, space: str) -> None:
    for key, tags in ENTRIES.items():
        stored = cluster.client.set_everywhere(key, b"value of " + key, space, tags=tags)
        all_are(stored, Status.STORED)
    _only_gone(cluster, space, [])


def _only_gone(
    cluster: Cluster, space: str, gone: Sequence[bytes]
) -> None:
    """Expects exactly the given entries to be gone, on every node that is asked for them."""
    keys = list(ENTRIES)
    for node in cluster.readers:
        for key, answer in zip(keys, cluster.client.get_many(keys, space, node)):
            if key in gone:
                status_is(answer, Status.MISS, f"{key!r} at {node or 'its owner'} is")
            else:
                hit(answer, b"value of " + key, f"{key!r} at {node or 'its owner'}:")


def _invalidates(cluster: Cluster, scope: Scope, gone: Sequence[bytes]) -> None:
    """Expects a scope, in a namespace of its own, to take exactly the given entries."""
    space = cluster.namespace()
    _fill(cluster, space)
    if scope.kind != Kind.everything:
        scope.namespace = space
    receipt = cluster.client.invalidate([scope])
    cluster.applied_everywhere(receipt)
    _only_gone(cluster, space, gone)
    node = cluster.readers[0]
    answer = cluster.client.get(b"user:1", space, node=node)
    position = (receipt.epoch, receipt.sequence)
    expect(at_least(answer.proof.position, position), f"the proof is before {position}")


def invalidate_key(cluster: Cluster) -> None:
    """INVALIDATE of a key takes that key, on every node, and no other."""
    _invalidates(cluster, Scope(Kind.key, b"user:1"), [b"user:1"])


def invalidate_tag(cluster: Cluster) -> None:
    """INVALIDATE of a tag takes the entries that bear it, on every node, and no other."""
    _invalidates(cluster, Scope(Kind.tag, b"red"), [b"user:1", b"user:2"])


def invalidate_prefix(cluster: Cluster) -> None:
    """INVALIDATE of a prefix takes the keys that begin with it, on every node, and no other."""
    _invalidates(cluster, Scope(Kind.prefix, b"user:"), [b"user:1", b"user:2", b"user:30"])


def invalidate_namespace(cluster: Cluster) -> None:
    """INVALIDATE of a namespace takes all of it, and nothing of another."""
    other = cluster.namespace()
    _fill(cluster, other)
    _invalidates(cluster, Scope(Kind.namespace), list(ENTRIES))
    _only_gone(cluster, other, [])


def invalidate_everything(cluster: Cluster) -> None:
    """INVALIDATE of everything takes the entries of every namespace."""
    other = cluster.namespace()
    _fill(cluster, other)
    _invalidates(cluster, Scope(Kind.everything), list(ENTRIES))
    _only_gone(cluster, other, list(ENTRIES))


def invalidate_many_scopes(cluster: Cluster) -> None:
    """One INVALIDATE of several scopes takes what any of them names, at one position."""
    space = cluster.namespace()
    _fill(cluster, space)
    before = cluster.head()
    receipt = cluster.client.invalidate([
        Scope(Kind.key, b"use", space), Scope(Kind.tag, b"red", space),
        Scope(Kind.prefix, b"page:2", space)])
    cluster.applied_everywhere(receipt)
    expect(receipt.sequence == before.sequence + 1, "it took more than one record")
    _only_gone(cluster, space, [b"use", b"user:1", b"user:2", b"page:2"])


def invalidate_hash_range(cluster: Cluster) -> None:
    """INVALIDATE with a hash range takes the keys whose route hash lies within, ends included."""
    space = cluster.namespace()
    _fill(cluster, space)
    routes = sorted((routing.route(space, key), key) for key in ENTRIES)
    within = routes[1:4]
    hashes = HashRange(U64(within[0][0]), U64(within[-1][0]))
    receipt = cluster.client.invalidate([Scope(Kind.namespace, b"", space, None, hashes)])
    cluster.applied_everywhere(receipt)
    _only_gone(cluster, space, [key for _, key in within])


def minimum_versions_are_a_floor(cluster: Cluster) -> None:
    """After INVALIDATE with a minimum version older ones are gone and refused, newer ones live."""
    client, space = cluster.client, cluster.namespace()
    status_is(client.set(b"k", b"three", space, version=U64(3)), Status.STORED)
    scope = Scope(Kind.key, b"k", space, U64(5))
    cluster.applied_everywhere(client.invalidate([scope]))
    status_is(client.get(b"k", space), Status.MISS)
    refused(client.set(b"k", b"four", space, version=U64(4)), Cause.olderVersion, "version 4 is")
    status_is(client.set(b"k", b"five", space, version=U64(5)), Status.STORED, "version 5 is")
    hit(client.get(b"k", space), b"five")


def receipts_tell_what_was_waited_for(cluster: Cluster) -> None:
    """Waiting for none and for a quorum give receipts of growing positions that are complete."""
    client, space = cluster.client, cluster.namespace()
    scope = Scope(Kind.key, b"k", space)
    positions = []
    for wait in (admin.WAIT_NONE, admin.WAIT_QUORUM, admin.WAIT_ALL):
        receipt = client.invalidate([scope], wait)
        expect(receipt.wait == wait, f"it says it waited for {receipt.wait}")
        expect(receipt.complete == 1, f"wait {wait} is not complete")
        positions.append((receipt.epoch, receipt.sequence))
        if wait == admin.WAIT_QUORUM:
            expect(len(receipt.applied) >= 2, f"a quorum of {len(receipt.applied)}")
    expect(positions == sorted(set(positions)), f"positions {positions}")


def repetitions_are_not_done_twice(cluster: Cluster) -> None:
    """A second INVALIDATE with the same operation id gets the first one's position."""
    client, space = cluster.client, cluster.namespace()
    operation = os.urandom(16)
    scope = Scope(Kind.key, b"k", space)
    first = client.invalidate([scope], operation=operation)
    status_is(client.set(b"k", b"v", space), Status.STORED)
    second = client.invalidate([scope], operation=operation)
    expect((first.epoch, first.sequence) == (second.epoch, second.sequence),
           f"{first.sequence}, then {second.sequence}")
    hit(client.get(b"k", space), b"v", "the repetition took a later value:")


def a_known_id_does_not_hide_something_else(cluster: Cluster) -> None:
    """An INVALIDATE with the operation id of another one is done if it says something else."""
    client, space = cluster.client, cluster.namespace()
    operation = os.urandom(16)
    first = client.invalidate([Scope(Kind.key, b"other", space)], operation=operation)
    status_is(client.set(b"k", b"v", space), Status.STORED)
    second = client.invalidate([Scope(Kind.key, b"k", space)], operation=operation)
    expect((first.epoch, first.sequence) < (second.epoch, second.sequence),
           f"{first.sequence}, then {second.sequence}")
    result = client.get(b"k", space)
    expect(result.status == Status.MISS, f"what was invalidated is served: {result}")


def answers_prove_at_least(cluster: Cluster) -> None:
    """AT LEAST a receipt's position is answered by every shard with a proof at or past it."""
    client, space = cluster.client, cluster.namespace()
    receipt = client.invalidate([Scope(Kind.key, b"k", space)], admin.WAIT_NONE)
    wanted = Position(receipt.epoch, receipt.sequence)
    for endpoint in client.endpoints:
        fields = Fields(space, at_least=wanted, deadline=3_000)
        body = data.Get([data.GetOperation(cluster.key_at(endpoint, space))])
        results = client.ask(endpoint, Type.GET, body, Type.RESULTS, fields)
        expect(results.results[0].status == Status.MISS, f"{endpoint}: {results.results[0]}")
        expect(at_least(results.proof.position, (wanted.epoch, wanted.sequence)),
               f"{endpoint} proves {results.proof.position}")


def the_future_is_behind(cluster: Cluster) -> None:
    """AT LEAST a position that does not come is BEHIND once the deadline is over."""
    client, space = cluster.client, cluster.namespace()
    head = cluster.head()
    future = Position(head.epoch, U64(head.sequence + 1_000_000))
    begun = time.monotonic()
    answer = client.get(b"k", space, fields=Fields(at_least=future, deadline=250))
    elapsed = time.monotonic() - begun
    status_is(answer, Status.BEHIND)
    expect(answer.result.detail == 1, f"reason {answer.result.detail}")
    expect(elapsed < 1.5, f"it took {elapsed:.2f} s of a deadline of 0.25 s")


def waiting_for_a_position_ends_with_it(cluster: Cluster) -> None:
    """AT LEAST the next position is answered as soon as that position is applied."""
    client, space = cluster.client, cluster.namespace()
    head = cluster.head()
    wanted = Position(head.epoch, U64(head.sequence + 1))
    connection = client.connection(client.owner(b"k", space))
    fields = Fields(space, at_least=wanted, deadline=4_000)
    id = connection.send(Type.GET, data.Get([data.GetOperation(b"k")]), fields)
    client.invalidate([Scope(Kind.key, b"other", space)])
    begun = time.monotonic()
    body = connection.answer(id, 6).body
    expect(body.results[0].status == Status.MISS, f"status {body.results[0].status}")
    expect(time.monotonic() - begun < 2, "it was answered long after the position was applied")


def scans_list_every_key_once(cluster: Cluster) -> None:
    """Paging through a namespace, a prefix, a tag and a key lists just what is there, once."""
    client, space = cluster.client, cluster.namespace()
    keys = {b"scan:%03d" % index for index in range(100)}
    sets = [data.SetOperation(key, b"v" * 10, tags=[b"odd"] if key[-1] % 2 else [])
            for key in sorted(keys)]
    all_are(client.operate(Type.SET, sets, space), Status.STORED)
    tens = {key for key in keys if key.startswith(b"scan:01")}
    odd = {key for key in keys if key[-1] % 2}
    wanted = [(Kind.namespace, b"", keys), (Kind.prefix, b"scan:01", tens),
              (Kind.tag, b"odd", odd), (Kind.key, b"scan:042", {b"scan:042"}),
              (Kind.prefix, b"nothing", set())]
    for limit in (1_024, 7):
        for kind, name, expected in wanted:
            found = [key for _, key in client.scan(space, kind, name, limit)]
            what = f"{kind.name} {name!r} by pages of {limit}"
            expect(len(found) == len(set(found)), f"{what}: a key twice")
            expect(set(found) == expected, f"{what}: {len(found)} of {len(expected)} keys")


def a_key_is_explained(cluster: Cluster) -> None:
    """EXPLAIN tells what is there, what was invalidated, and changes nothing."""
    client, space = cluster.client, cluster.namespace()
    expect(client.explain(b"k", space).verdict == Verdict.absent, "it is there before it was set")
    store = data.SetOperation(b"k", b"value", tags=[b"red"])
    all_are(client.operate(Type.SET, [store], space), Status.STORED)
    found = client.explain(b"k", space)
    expect(found.verdict == Verdict.fresh, f"verdict {found.verdict}")
    expect(found.entry is not None and found.entry.value_bytes == 5, "its length")
    expect(found.entry is not None and found.entry.tags == [b"red"], "its tags")
    receipt = client.invalidate([Scope(Kind.tag, b"red", space)], strength=admin.SOFT)
    for _ in range(2):
        found = client.explain(b"k", space)
        expect(found.verdict == Verdict.soft, f"verdict {found.verdict}")
        above = [floor for floor in found.floors if floor.options]
        expect([floor.name for floor in above] == [b"red"], f"above it: {above}")
        expect(above[0].soft.sequence == receipt.sequence, "the position of the floor")


def what_has_no_origin_is_not_compared(cluster: Cluster) -> None:
    """COMPARE is refused where no origin is, and by the publisher."""
    client, space = cluster.client, cluster.namespace()
    all_are(client.operate(Type.SET, [data.SetOperation(b"k", b"value")], space), Status.STORED)
    for endpoint in (client.owner(b"k", space), client.topology.control):
        refused_with(Code.unsupported, lambda at=endpoint: client.ask(
            at, Type.COMPARE, explaining.Explain(b"k"), Type.COMPARISON, Fields(namespace=space)))


def scans_count(cluster: Cluster) -> None:
    """COUNT ONLY lists no keys and counts all of them, and no page is over its limit."""
    client, space = cluster.client, cluster.namespace()
    sets = [data.SetOperation(b"count:%d" % index, b"v" * 100) for index in range(50)]
    all_are(client.operate(Type.SET, sets, space), Status.STORED)
    entries = bytes_ = 0
    for endpoint in client.endpoints:
        for page in client.scan_pages(endpoint, space, options=admin.COUNT_ONLY):
            expect(not page.keys, "COUNT ONLY listed keys")
            entries += page.entries
            bytes_ += page.bytes
        for page in client.scan_pages(endpoint, space, limit=5):
            expect(len(page.keys) <= 5 + 64, f"a page of {len(page.keys)} keys, 5 wanted")
            expect(all(each.value_bytes == 100 for each in page.keys), "wrong value bytes")
    expect(entries == 50, f"{entries} entries counted")
    expect(bytes_ >= 50 * 100, f"{bytes_} bytes counted")


def counters_count(cluster: Cluster) -> None:
    """COUNT tells what a scan counts, nothing after an invalidation, and no prefix."""
    client, space = cluster.client, cluster.namespace()
    sets = [data.SetOperation(b"count:%d" % index, b"v" * 100, tags=[b"red"] if index < 20 else [])
            for index in range(50)]
    all_are(client.operate(Type.SET, sets, space), Status.STORED)
    pages = [page for endpoint in client.endpoints
             for page in client.scan_pages(endpoint, space, options=admin.COUNT_ONLY)]
    for scopes, entries in (
        ([Scope(Kind.namespace, b"", space)], 50), ([Scope(Kind.tag, b"red", space)], 20),
        ([Scope(Kind.key, b"count:7", space), Scope(Kind.tag, b"red", space)], 21),
        ([Scope(Kind.tag, b"other", space)], 0),
    ):
        counted = client.count(scopes)
        expect(counted.entries == entries and not counted.options, f"{scopes}: {counted}")
    all_bytes = client.count([Scope(Kind.namespace, b"", space)]).bytes
    expect(all_bytes == sum(page.bytes for page in pages), f"{all_bytes} bytes counted")
    client.invalidate([Scope(Kind.tag, b"red", space)])
    counted = client.count([Scope(Kind.tag, b"red", space)])
    expect(counted.entries == 0 and counted.bytes == 0, f"hidden, and counted: {counted}")
    try:
        client.count([Scope(Kind.prefix, b"count:", space)])
    except ServerError as error:
        expect(error.code == Code.unsupported, f"a prefix: {error}")
    else:
        raise Failure("a prefix was counted")


def status_tells_every_node(cluster: Cluster) -> None:
    """The publisher lists all nodes at its head with a grant; every shard has its digest."""
    client = cluster.client
    receipt = client.invalidate([Scope(Kind.key, b"k", cluster.namespace())])
    status = client.status()
    expect(status.role == admin.PUBLISHER, f"role {status.role}")
    expect(sorted(node.id for node in status.nodes) == sorted(cluster.ids), "other nodes")
    for node in status.nodes:
        expect((node.epoch, node.sequence) >= (receipt.epoch, receipt.sequence),
               f"{node.id} is at {node.sequence}")
        expect(node.grant_left > 0 and node.incarnation, f"{node.id} has no grant")
    head = (status.epoch, status.sequence, status.digest)

    def agrees(endpoint: str) -> bool:
        shard = client.status(endpoint)
        expect(shard.role == admin.SHARD, f"{endpoint} has role {shard.role}")
        return (shard.epoch, shard.sequence, shard.digest) == head

    for endpoint in client.endpoints:
        until(f"{endpoint} is at the publisher's head", 2, lambda: agrees(endpoint))


def live_nodes_are_not_forgotten(cluster: Cluster) -> None:
    """FORGET of a node with a grant is refused as `leased`, of an unknown one as unknown."""
    client = cluster.client
    before = {node.id: node.incarnation for node in client.status().nodes}
    for id in cluster.ids:
        error = refused_with(Code.leased, lambda id=id: client.forget(id))
        after = error.retry_after or 0
        expect(0 < after <= 60_000, f"RETRY AFTER is {after}")
    refused_with(Code.notRegistered, lambda: client.forget("nobody"))
    after = {node.id: node.incarnation for node in client.status().nodes}
    expect(after == before, f"{after} instead of {before}")


def an_order_for_another_node_drains_nobody(cluster: Cluster) -> None:
    """DRAIN is refused by a shard of another node, and the shard goes on storing."""
    client, space = cluster.client, cluster.namespace()
    for endpoint in client.endpoints:
        refused_with(Code.notRegistered, lambda at=endpoint: client.drain(at, "nobody"))
        expect(client.status(endpoint).state == 3, f"{endpoint} is not LIVE any more")
    all_are(client.operate(Type.SET, [data.SetOperation(b"k", b"v")], space), Status.STORED)


def orders_go_to_whom_they_are_for(cluster: Cluster) -> None:
    """The publisher does not serve DRAIN, and a shard does not serve FORGET."""
    client = cluster.client
    control, shard = client.topology.control, client.endpoints[0]
    refused_with(Code.unsupported, lambda: client.drain(control, cluster.ids[0]))
    refused_with(Code.unsupported, lambda: client.ask(
        shard, Type.FORGET, leaving.NodeOrder(cluster.ids[0]), Type.DONE))


def receipts_are_asked_for_again(cluster: Cluster) -> None:
    """AWAIT tells of a record in the log who has obeyed it and who ordered it."""
    client = cluster.client
    scope = Scope(Kind.key, b"k", cluster.namespace())
    first = client.invalidate([scope], admin.WAIT_NONE, issuer="ada@conformance")
    second = client.invalidate([scope], admin.WAIT_ALL)
    for place, issuer in ((first, "ada@conformance"), (second, None)):
        answer = client.receipt(place.epoch, place.sequence)
        expect(answer.type == Type.RECEIPT, f"answered with {answer.type.name}")
        body = answer.body
        expect((body.epoch, body.sequence) == (place.epoch, place.sequence), "another position")
        expect(body.complete == 1 and not body.pending, f"not complete: {body}")
        expect(sorted(node.id for node in body.applied) == sorted(cluster.ids), f"{body.applied}")
        expect(answer.fields.issuer == issuer, f"ordered by {answer.fields.issuer}")
    now = client.receipt(second.epoch, second.sequence, admin.WAIT_NONE, 0).body
    expect(now.wait == admin.WAIT_NONE and now.complete == 1, f"{now}")


def receipts_of_what_is_not_there_are_refused(cluster: Cluster) -> None:
    """AWAIT beyond the head, before the first record, or of a shard is refused."""
    client = cluster.client
    head = client.status()
    for epoch, sequence in ((head.epoch, head.sequence + 1_000), (head.epoch + 1, 1),
                            (head.epoch, 0)):
        refused_with(Code.outOfRange, lambda at=(epoch, sequence): client.receipt(*at))
    refused_with(Code.unsupported, lambda: client.ask(
        client.endpoints[0], Type.AWAIT, admin.Await(0, 0, 1, U64(1)), Type.RECEIPT))


def config_is_served(cluster: Cluster) -> None:
    """The publisher and every shard serve the same version of the configuration."""
    client = cluster.client
    mine = client.config()
    for endpoint in client.endpoints:
        other = client.config(endpoint)
        expect((other.version, other.text) == (mine.version, mine.text),
               f"{endpoint} serves version {other.version}, the publisher {mine.version}")


CHECKS = [
    misses_hand_out_one_token, tokens_fence_a_store, loads_that_began_before_are_not_stored,
    other_invalidations_do_not_void_a_load, soft_entries_are_renewed,
    renewals_that_come_too_late_are_refused, fresh_reads_reflect_what_was_acknowledged,
    invented_tokens_are_void, invalidate_key,
    invalidate_tag, invalidate_prefix, invalidate_namespace, invalidate_everything,
    invalidate_many_scopes, invalidate_hash_range, minimum_versions_are_a_floor,
    receipts_tell_what_was_waited_for, repetitions_are_not_done_twice,
    a_known_id_does_not_hide_something_else, answers_prove_at_least,
    the_future_is_behind, waiting_for_a_position_ends_with_it, scans_list_every_key_once,
    a_key_is_explained, what_has_no_origin_is_not_compared, scans_count, counters_count,
    status_tells_every_node,
    live_nodes_are_not_forgotten, an_order_for_another_node_drains_nobody,
    orders_go_to_whom_they_are_for, receipts_are_asked_for_again,
    receipts_of_what_is_not_there_are_refused, config_is_served,
]
