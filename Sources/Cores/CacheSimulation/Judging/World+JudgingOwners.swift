import CacheModel
import CacheWire

/// An acknowledged plain store of a sharded cluster.
struct AcknowledgedStore {
    let fill: Int
    let run: Int
    let step: Int
}

/// I9: in a sharded cluster an acknowledged store is not undone by a change of its members.
extension World {
    /// A shard without a lease may have been removed without its knowledge: then nothing is
    /// guaranteed.
    func noteAcknowledged(_ fill: Fill, by shard: SimulatedShard) {
        guard settings.kind == .sharded, holdsLease(shard) else { return }
        acknowledgedStores[fill.item, default: []].append(
            AcknowledgedStore(fill: fill.number, run: shard.place.run, step: step))
    }

    /// A fresh value is not older than a store of another node under its key from before the
    /// request. Two runs of one node share their keys.
    func judgeOwned(
        _ fill: Fill, storedAt stored: Int, _ request: Request, of shard: SimulatedShard
    ) throws(Violation) {
        let node = runs[shard.place.run].node
        if isUnknown(runs[shard.place.run]) { return }
        let newer = acknowledgedStores[fill.item]?.last {
            $0.fill != fill.number && $0.step > stored && $0.step < request.step
                && runs[$0.run].node != node
        }
        guard let newer else { return }
        throw Violation(
            "\(shard.place) calls fill \(fill.number) fresh, though fill \(newer.fill) was stored "
                + "under its key since, by run \(newer.run) of another node")
    }

    /// As ``isExcused(_:_:)``: a publisher that does not know the leases of its predecessor has
    /// heard another run of the node, and this run has no lease of it yet.
    private func isUnknown(_ run: SimulatedRun) -> Bool {
        settings.mayGrantsBeForgotten && run.hasTwin
            && run.firstGrants[publisher.generation] == nil
    }
}
