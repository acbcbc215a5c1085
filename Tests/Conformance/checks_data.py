"""Checks of the data channel: entries, lives, versions, tags, batches, large values."""

from __future__ import annotations

import time

from checking import expect
from cluster import LIVE, Cluster, all_are, hit, refused, status_is, until
from martlet_client import Answer
from martlet_protocol import data, limits, slots
from martlet_protocol.data import Status
from martlet_protocol.errors import Cause
from martlet_protocol.fields import Fields
from martlet_protocol.header import Type
from martlet_protocol.reading import U64


def topology_lists_three_nodes(cluster: Cluster) -> None:
    """The topology names three nodes, a known endpoint for each shard and both of the publisher."""
    topology = cluster.client.topology
    expect(len(set(cluster.ids)) == 3, f"nodes {cluster.ids}")
    expect(topology.control and topology.live, "an endpoint of the publisher is empty")
    for node in topology.nodes:
        expect(node.endpoints and all(node.endpoints), f"{node.id} has {node.endpoints}")
        expect(node.state == LIVE, f"{node.id} is in state {node.state}")
        expect(node.weight > 0, f"{node.id} weighs nothing")


def every_key_is_answered_where_its_slot_is(cluster: Cluster) -> None:
    """Where the log assigns slots: each owner answers, and all others say that it moved."""
    table = cluster.client.topology.slots
    if table is None:
        return
    expect(slots.slot(b"123456789") == 0x31C3 % slots.COUNT, "CRC16 is not XMODEM")
    expect(slots.slot(b"{user}:1") == slots.slot(b"user") != slots.slot(b"{}user"), "hash tags")
    counts = [sum(run.count for run in table.runs if run.member == row.number)
              for row in table.members]
    expect(sorted(counts) == [5461, 5461, 5462], f"the shares are {counts}")
    key = b"an absent key"
    owner = cluster.client.owner(key)
    for endpoint in cluster.client.endpoints:
        answer = cluster.client.connection(endpoint).request(
            Type.GET, data.Get([data.GetOperation(key)]), timeout=5)
        (result,) = answer.body.results
        is_owner = endpoint == owner
        expect((result.status == Status.MISS) == is_owner, f"{endpoint}: {result}")
        if not is_owner:
            expect((result.status, result.detail) == (Status.BUSY, Cause.moved),
                   f"{endpoint}: {result}")


def every_endpoint_serves_the_topology(cluster: Cluster) -> None:
    """Every shard and the publisher tell the same topology."""
    mine = cluster.client.topology
    for endpoint in [mine.control] + cluster.client.endpoints:
        other = cluster.client.fetch_topology(endpoint)
        expect(other.version == mine.version, f"{endpoint} tells version {other.version}")
        same = [(node.id, node.endpoints, node.weight) for node in other.nodes]
        expect(same == [(node.id, node.endpoints, node.weight) for node in mine.nodes],
               f"{endpoint} tells {same}")
        expect((other.kind, other.control, other.live) == (mine.kind, mine.control, mine.live),
               f"{endpoint} tells {other.kind} {other.control} {other.live}")


def set_then_get_hits(cluster: Cluster) -> None:
    """A value that was stored is a HIT, with a proof of a LIVE shard that holds a lease."""
    client, space = cluster.client, cluster.namespace()
    status_is(client.get(b"k", space), Status.MISS, "before the store it is")
    stored = status_is(client.set(b"k", b"value", space), Status.STORED)
    if not client.replicated:
        expect(stored.result.flags & data.UNFENCED, "a blind store is not marked UNFENCED")
    got = hit(client.get(b"k", space), b"value")
    expect(got.proof.state == LIVE, f"the shard is in state {got.proof.state}")
    expect(got.proof.lease_left > 0, "no lease is left")
    expect(got.proof.topology == client.topology.version, "another topology version")
    expect(got.result.detail == 1, f"tier {got.result.detail} instead of memory")
    status_is(client.set(b"k", b"other", space), Status.STORED)
    hit(client.get(b"k", space), b"other", "after another store")


def values_and_keys_are_any_bytes(cluster: Cluster) -> None:
    """Empty values, the longest key, and keys and values of all bytes come back unchanged."""
    client, space = cluster.client, cluster.namespace()
    every = bytes(range(256))
    pairs = [(b"empty", b""), (b"k" * limits.KEY_BYTES, b"long"), (every, every * 4),
             (b"\0", b"\0"), (b"k" * (limits.KEY_BYTES - 1), b"one less")]
    for key, value in pairs:
        status_is(client.set(key, value, space), Status.STORED)
    for key, value in pairs:
        hit(client.get(key, space), value, f"key {key[:9]!r}:")


def namespaces_are_apart(cluster: Cluster) -> None:
    """The same key in two namespaces is two entries, and `default` is the absent one."""
    client, one, two = cluster.client, cluster.namespace(), cluster.namespace()
    key = f"namespaces-{cluster.run}".encode()
    status_is(client.set(key, b"1", one), Status.STORED)
    status_is(client.get(key, two), Status.MISS, "in the other namespace it is")
    status_is(client.set(key, b"0"), Status.STORED)
    body = data.Get([data.GetOperation(key)])
    named = client.ask(client.owner(key), Type.GET, body, Type.RESULTS, Fields("default"))
    expect(named.results[0].value == b"0", "`default` by its name is another namespace")


def details_tell_what_was_stored(cluster: Cluster) -> None:
    """DETAILS gives back all that was stored and a fill position; without it they are absent."""
    client, space = cluster.client, cluster.namespace()
    tags = [b"red", b"blue", b"red"]
    stored = client.set(b"k", b"v", space, version=U64(7), etag=b'"7"', tags=tags,
                        content_type="text/css; charset=utf-8", content_language="de")
    status_is(stored, Status.STORED)
    result = hit(client.get(b"k", space, data.DETAILS), b"v").result
    expect(result.version == 7 and result.etag == b'"7"', f"{result.version} {result.etag!r}")
    expect(sorted(result.tags) == [b"blue", b"red"], f"tags {result.tags}")
    expect(result.content_type == "text/css; charset=utf-8", f"type {result.content_type}")
    expect(result.content_language == "de" and result.content_encoding is None, "not as stored")
    expect(result.fill_position is not None, "no fill position")
    plain = hit(client.get(b"k", space), b"v").result
    expect(plain.version is None and not plain.tags, "details without being asked")
    expect(plain.content_type is None, "a content type without being asked")


def sixty_four_tags_are_kept(cluster: Cluster) -> None:
    """An entry with 64 tags is stored with all of them."""
    client, space = cluster.client, cluster.namespace()
    tags = [b"tag-%02d" % index for index in range(limits.TAGS)]
    status_is(client.set(b"k", b"v", space, tags=tags), Status.STORED)
    got = hit(client.get(b"k", space, data.DETAILS), b"v").result
    expect(sorted(got.tags) == tags, f"{len(got.tags)} tags came back")


def entries_expire(cluster: Cluster) -> None:
    """An entry is a HIT until its time to live is over, and a MISS from then on."""
    client, space = cluster.client, cluster.namespace()
    status_is(client.set(b"k", b"v", space, ttl=U64(300)), Status.STORED)
    stored = time.monotonic()
    got = hit(client.get(b"k", space), b"v")
    expect(0 < got.result.ttl <= 300, f"{got.result.ttl} ms are left of 300")

    def gone() -> bool:
        sent = time.monotonic()
        answer = client.get(b"k", space)
        late = answer.status == Status.HIT and sent - stored > 0.55
        expect(not late, "a HIT a quarter of a second after the end")
        return answer.status == Status.MISS

    until("the entry expires", 3, gone)
    status_is(client.set(b"forever", b"v", space, ttl=U64(limits.NEVER)), Status.STORED)
    forever = hit(client.get(b"forever", space), b"v").result.ttl
    expect(forever == limits.NEVER, f"{forever} ms are left of forever")


def touch_changes_the_time_to_live(cluster: Cluster) -> None:
    """TOUCH lengthens and shortens a life, changes nothing else, and refuses an absent key."""
    client, space = cluster.client, cluster.namespace()
    refused(client.touch(b"k", 1_000, space), Cause.absent)
    status_is(client.set(b"k", b"v", space, ttl=U64(5_000), version=U64(3)), Status.STORED)
    status_is(client.touch(b"k", 60_000, space), Status.TOUCHED)
    got = hit(client.get(b"k", space, data.DETAILS), b"v").result
    expect(50_000 < got.ttl <= 60_000, f"{got.ttl} ms are left of 60000")
    expect(got.version == 3, "the version changed")
    status_is(client.touch(b"k", 100, space), Status.TOUCHED)
    until("the touched entry expires", 3,
          lambda: client.get(b"k", space).status == Status.MISS)
    refused(client.touch(b"k", 1_000, space), Cause.absent, "after the end TOUCH is")


def delete_removes_everywhere(cluster: Cluster) -> None:
    """DELETE is REMOVED, also for an absent key, and afterwards no node has the entry."""
    client, space = cluster.client, cluster.namespace()
    all_are(client.set_everywhere(b"k", b"v", space), Status.STORED)
    for node in cluster.readers:
        hit(client.get(b"k", space, node=node), b"v", f"before, at {node}")
    removed = status_is(client.delete([b"k"], space)[0], Status.REMOVED)
    for node in cluster.readers:
        after = Fields(at_least=removed.proof.position, deadline=3_000)
        answer = client.get(b"k", space, node=node, fields=after)
        status_is(answer, Status.MISS, f"at {node} it is")
    status_is(client.delete([b"never-there"], space)[0], Status.REMOVED)
    status_is(client.set(b"k", b"again", space), Status.STORED, "a store after it is")
    hit(client.get(b"k", space), b"again")


def older_versions_never_replace_newer(cluster: Cluster) -> None:
    """A store with an older or an equal version is REFUSED; a newer one replaces."""
    client, space = cluster.client, cluster.namespace()
    status_is(client.set(b"k", b"five", space, version=U64(5)), Status.STORED)
    refused(client.set(b"k", b"three", space, version=U64(3)), Cause.olderVersion, "version 3 is")
    refused(client.set(b"k", b"same", space, version=U64(5)), Cause.olderVersion, "version 5 is")
    hit(client.get(b"k", space), b"five")
    status_is(client.set(b"k", b"six", space, version=U64(6)), Status.STORED, "version 6 is")
    got = hit(client.get(b"k", space, data.DETAILS), b"six")
    expect(got.result.version == 6, f"version {got.result.version}")
    greatest = U64((1 << 64) - 1)
    status_is(client.set(b"k", b"max", space, version=greatest), Status.STORED)
    refused(client.set(b"k", b"less", space, version=U64(greatest - 1)), Cause.olderVersion)
    hit(client.get(b"k", space), b"max")


def batches_answer_in_order(cluster: Cluster) -> None:
    """Batches of 1, 2, 63 and 1024 keys are stored, read, touched and deleted, in order."""
    client = cluster.client
    for size in (1, 2, 63, 1_024):
        space = cluster.namespace()
        keys = cluster.keys_together(size, space)
        sets = [data.SetOperation(key, b"value of " + key) for key in keys[::2]]
        all_are(client.operate(Type.SET, sets, space), Status.STORED)
        answers = client.operate(Type.GET, [data.GetOperation(key) for key in keys], space)
        for index, (key, answer) in enumerate(zip(keys, answers)):
            if index % 2:
                status_is(answer, Status.MISS, f"{index} of {size} is")
            else:
                hit(answer, b"value of " + key, f"{index} of {size}:")
        touches = [data.TouchOperation(key, U64(90_000)) for key in keys]
        for index, answer in enumerate(client.operate(Type.TOUCH, touches, space)):
            if index % 2:
                refused(answer, Cause.absent, f"TOUCH {index} of {size} is")
            else:
                status_is(answer, Status.TOUCHED, f"TOUCH {index} of {size} is")
        all_are(client.delete(keys, space), Status.REMOVED)
        all_are(client.get_many(keys, space), Status.MISS)


def one_bad_operation_spares_the_others(cluster: Cluster) -> None:
    """A key of 0 bytes among good ones is REFUSED alone."""
    client, space = cluster.client, cluster.namespace()
    endpoint = client.owner(b"a", space)
    keys = [b"a", b"", b"a"]
    body = data.SetBody([data.SetOperation(key, b"v") for key in keys])
    stored = client.ask(endpoint, Type.SET, body, Type.RESULTS, Fields(space))
    statuses = [result.status for result in stored.results]
    expect(statuses == [Status.STORED, Status.REFUSED, Status.STORED], f"SET: {statuses}")
    get = data.Get([data.GetOperation(key) for key in keys])
    results = client.ask(endpoint, Type.GET, get, Type.RESULTS, Fields(space)).results
    statuses = [result.status for result in results]
    expect(statuses == [Status.HIT, Status.REFUSED, Status.HIT], f"GET: {statuses}")
    expect(results[1].detail == Cause.outOfRange, f"cause {results[1].detail}")


def full_answers_defer_the_rest(cluster: Cluster) -> None:
    """Of values that do not fit into one frame together the last are DEFERRED, and come later."""
    client, space = cluster.client, cluster.namespace()
    keys = cluster.keys_together(6, space)
    for index, key in enumerate(keys):
        status_is(client.set(key, bytes([index]) * 300_000, space), Status.STORED)
    first = client.operate(Type.GET, [data.GetOperation(key) for key in keys], space)
    statuses = {answer.status for answer in first}
    expect(statuses == {Status.HIT, Status.DEFERRED}, f"statuses {sorted(statuses)}")
    for index, answer in enumerate(client.get_many(keys, space)):
        hit(answer, bytes([index]) * 300_000, f"value {index}:")


def many_requests_are_in_flight(cluster: Cluster) -> None:
    """Five hundred requests sent before the first answer is read are all answered by their ids."""
    client, space = cluster.client, cluster.namespace()
    keys = cluster.keys_together(500, space)
    sets = [data.SetOperation(key, b"value of " + key) for key in keys]
    all_are(client.operate(Type.SET, sets, space), Status.STORED)
    connection = client.connection(client.owner(keys[0], space))
    sent = [(key, connection.send(Type.GET, data.Get([data.GetOperation(key)]), Fields(space)))
            for key in keys]
    for key, id in reversed(sent):
        body = connection.answer(id, 5).body
        hit(Answer(body.results[0], body.proof), b"value of " + key, f"{key!r}:")


def _large(cluster: Cluster, size: int) -> bytes:
    return cluster.random.getrandbits(8 * size).to_bytes(size, "little")


def values_of_one_frame_need_no_chunks(cluster: Cluster) -> None:
    """A value of 524288 bytes is stored and read in one frame."""
    client, space = cluster.client, cluster.namespace()
    value = _large(cluster, limits.PART_BYTES)
    status_is(client.set(b"k", value, space), Status.STORED)
    expect(client.get_large(b"k", space) == value, "another value came back")


def large_values_travel_in_chunks(cluster: Cluster) -> None:
    """Values of 524289 bytes, 1 MiB and 5 MiB are sent by CHUNK and read back by RANGE."""
    client, space = cluster.client, cluster.namespace()
    for size in (limits.PART_BYTES + 1, 1 << 20, 5 << 20):
        value, key = _large(cluster, size), b"large-%d" % size
        status_is(client.set_large(key, value, space, tags=[b"large"]), Status.STORED)
        first = client.get(key, space)
        status_is(first, Status.HIT)
        whole = first.result.whole
        expect(whole is not None and whole.total == size, f"WHOLE {whole} of {size} bytes")
        expect(value.startswith(first.value), "the first part is not the beginning")
        expect(client.get_large(key, space) == value, f"another value of {size} bytes came back")


def ranges_are_cut_exactly(cluster: Cluster) -> None:
    """RANGE gives exactly the bytes asked for, anywhere within a large value."""
    client, space = cluster.client, cluster.namespace()
    value = _large(cluster, 1 << 20)
    status_is(client.set_large(b"k", value, space), Status.STORED)
    whole = client.get(b"k", space).result.whole
    expect(whole is not None, "no WHOLE field")
    assert whole is not None
    last = len(value) - 1
    for offset, length in ((0, 1), (1, 999), (524_287, 2), (last, 1), (0, limits.PART_BYTES),
                           (len(value) - limits.PART_BYTES, limits.PART_BYTES)):
        part = client.get_range(b"k", whole.identity, offset, length, space)
        hit(part, value[offset : offset + length], f"{length} bytes from {offset}:")


def ranges_notice_another_entry(cluster: Cluster) -> None:
    """A RANGE of an entry that was replaced is CHANGED."""
    client, space = cluster.client, cluster.namespace()
    status_is(client.set_large(b"k", _large(cluster, 600_000), space), Status.STORED)
    whole = client.get(b"k", space).result.whole
    expect(whole is not None, "no WHOLE field")
    assert whole is not None
    status_is(client.set_large(b"k", _large(cluster, 600_000), space), Status.STORED)
    part = client.get_range(b"k", whole.identity, 0, 1_000, space)
    status_is(part, Status.CHANGED)


def uploads_must_be_whole(cluster: Cluster) -> None:
    """A SET whose upload is unknown or unfinished is REFUSED, and so is a chunk after a hole."""
    client, space = cluster.client, cluster.namespace()
    unknown = data.Upload(U64(cluster.random.getrandbits(63) | 1), 600_000)
    refused(client.set(b"k", b"", space, upload=unknown), Cause.uploadIncomplete, "unknown:")

    def chunk(id: int, offset: int) -> Answer:
        body = data.Chunk(U64(id), 600_000, offset, bytes(100_000))
        endpoint = client.owner(b"k", space)
        results = client.ask(endpoint, Type.CHUNK, body, Type.RESULTS, Fields(space))
        return Answer(results.results[0], results.proof)

    begun = cluster.random.getrandbits(63) | 1
    status_is(chunk(begun, 0), Status.RECEIVED)
    status_is(chunk(begun, 300_000), Status.REFUSED, "a chunk after a hole is")
    other = cluster.random.getrandbits(63) | 1
    status_is(chunk(other, 0), Status.RECEIVED)
    unfinished = data.Upload(U64(other), 600_000)
    refused(client.set(b"k", b"", space, upload=unfinished), Cause.uploadIncomplete,
            "unfinished:")
    status_is(client.get(b"k", space), Status.MISS)


def replicas_take_copies(cluster: Cluster) -> None:
    """In a replicated topology a store reaches every node by the token of its first answer."""
    client, space = cluster.client, cluster.namespace()
    if not client.replicated:
        stored = status_is(client.set(b"k", b"v", space), Status.STORED)
        expect(stored.result.token is None, "a sharded store answers with a token")
        return
    first = status_is(client.set(b"k", b"v", space), Status.STORED)
    expect(first.result.token is not None, "STORED without a token")
    token = data.Token.decode(first.result.token or b"")
    expect(token.incarnation == 0 and token.nonce == 0, f"{token}")
    expect((first.proof.epoch, first.proof.sequence) >= (token.epoch, token.sequence),
           f"proof {first.proof} before {token}")
    all_are(client.set_everywhere(b"k", b"w", space), Status.STORED)
    for node in cluster.readers:
        hit(client.get(b"k", space, node=node), b"w", f"at {node}")


CHECKS = [
    topology_lists_three_nodes, every_key_is_answered_where_its_slot_is,
    every_endpoint_serves_the_topology, set_then_get_hits,
    values_and_keys_are_any_bytes, namespaces_are_apart, details_tell_what_was_stored,
    sixty_four_tags_are_kept, entries_expire, touch_changes_the_time_to_live,
    delete_removes_everywhere, older_versions_never_replace_newer, batches_answer_in_order,
    one_bad_operation_spares_the_others, full_answers_defer_the_rest,
    many_requests_are_in_flight, values_of_one_frame_need_no_chunks,
    large_values_travel_in_chunks, ranges_are_cut_exactly, ranges_notice_another_entry,
    uploads_must_be_whole, replicas_take_copies,
]
