import CacheClientCore
import CacheModel
import CacheWire
import Threading
import ZeroMQ

extension PipelinedConnection {
    /// Whether the publisher assigns keys to shards by slots: while a slot moves, operations on
    /// its keys end as ``PipelinedOutcome/busy``, and can be sent again.
    package var hasSlots: Bool { topology.slotOwners != nil }

    /// An answer shows another version of the topology.
    mutating func heardOfAnotherTopology() {
        // The replicas that a thread asks stay the same.
        guard node == nil else { return }
        follower.heardOfAnother(at: MonotonicClock.now)
    }

    /// Takes the next step towards a new topology.
    ///
    /// - Throws: ``CacheError/Code/invalidArgument`` if one thread cannot watch the connections to
    ///   so many shards.
    mutating func follow() throws(CacheError) {
        do {
            let now = MonotonicClock.now
            if let told = try follower.topology(after: topology, context, &frame, at: now) {
                try PipelineParts.check(options, told.shards.count)
                follower.connects(try connect(to: told, at: now))
            }
            guard let next = try follower.takeConnected(at: now) else { return }
            flush()
            replaceShards(by: next)
        } catch let error as CacheError {
            throw error
        } catch {
            throw CacheError(.disconnected, "\(error)")
        }
    }

    /// Lanes to the shards of a topology; those of shards at the same endpoints are kept.
    private func connect(
        to told: Topology, at now: Instant
    ) throws(ZeroMQError) -> TopologyFollower.Next {
        var former: [String: [PipelineLane]] = [:]
        for lane in lanes.reversed() { former[lane.endpoint, default: []].append(lane) }
        var all: [PipelineLane] = []
        var new: [PipelineLane] = []
        for number in told.shards.indices.map(ShardNumber.init) {
            let endpoint = PipelineParts.endpoint(told[number].endpoint)
            let isAwaited = endpoint != nil && told.isAsked(number)
            for _ in 0..<options.connections {
                if let endpoint, let lane = former[endpoint.description]?.popLast() {
                    all.append(lane)
                    continue
                }
                let lane = try PipelineLane(context, endpoint, window: options.window)
                all.append(lane)
                if isAwaited { new.append(lane) }
            }
        }
        return TopologyFollower.Next(
            told, all, new: new, until: now.advanced(by: ClientLimits.topologyAttemptTimeout))
    }
}
