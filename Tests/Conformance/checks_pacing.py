"""Checks of invalidations that take their time."""

from __future__ import annotations

import time

from checking import expect
from cluster import Cluster, all_are, refused_with
from martlet_protocol import data, pacing
from martlet_protocol.admin import Kind, Scope
from martlet_protocol.data import Status
from martlet_protocol.errors import Code
from martlet_protocol.header import Type
from martlet_protocol.reading import U64


def paced_invalidations_take_their_time(cluster: Cluster) -> None:
    """PACE hides slice by slice over its span, until all of it is hidden on every node."""
    client, space = cluster.client, cluster.namespace()
    keys = [b"k%03d" % index for index in range(200)]
    values = [data.SetOperation(key, b"v") for key in keys]
    all_are(client.operate(Type.SET, values, space), Status.STORED)
    scope = Scope(Kind.namespace, b"", space)
    begun, = client.pace(pacing.Pace(pacing.BEGIN, 0, 2_000, U64(0), [scope]))
    expect(begun.state == pacing.RUNNING and begun.slices == 16, f"begun as {begun}")
    ends = time.monotonic() + 10
    seen = set()
    while begun.state == pacing.RUNNING and time.monotonic() < ends:
        begun, = (one for one in client.pace(pacing.Pace(pacing.LIST)) if one.id == begun.id)
        seen.add(begun.done)
        time.sleep(0.02)
    expect(begun.state == pacing.OVER, f"after ten seconds it is {begun}")
    expect(len(seen) > 8, f"only {sorted(seen)} were seen on the way")
    # The log has an order: who has obeyed what came later has obeyed every slice.
    cluster.applied_everywhere(client.invalidate([Scope(Kind.key, b"other", space)]))
    all_are(client.operate(
        Type.GET, [data.GetOperation(key) for key in keys], space), Status.MISS)


def paced_invalidations_are_cancelled(cluster: Cluster) -> None:
    """PACE cancels what runs, and what it had hidden stays hidden; other numbers are refused."""
    client, space = cluster.client, cluster.namespace()
    scope = Scope(Kind.namespace, b"", space)
    begun, = client.pace(pacing.Pace(pacing.BEGIN, 0, 60_000, U64(0), [scope]))
    stopped, = client.pace(pacing.Pace(pacing.CANCEL, id=begun.id))
    expect(stopped.state == pacing.CANCELLED and stopped.done < 10, f"stopped as {stopped}")
    again, = client.pace(pacing.Pace(pacing.CANCEL, id=begun.id))
    expect(again.state == pacing.CANCELLED, f"asked again: {again}")
    unknown = pacing.Pace(pacing.CANCEL, id=U64(begun.id + 1_000))
    refused_with(Code.outOfRange, lambda: client.pace(unknown))


CHECKS = [paced_invalidations_take_their_time, paced_invalidations_are_cancelled]
