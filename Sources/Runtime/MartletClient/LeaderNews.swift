import CacheModel
import CacheWire
import Threading
import ZeroMQ

/// Which publisher leads, as the loop's thread knows it, for the threads that follow the log.
final class LeaderNews: Sendable {
    /// Where the leader is, and of which cluster.
    struct Place: Hashable, Sendable {
        let control: String
        let live: String
        let cluster: ClusterID

        init(_ topology: Topology) {
            control = topology.controlEndpoint
            live = topology.liveEndpoint
            cluster = topology.cluster
        }
    }

    private struct State {
        var place: Place?
        var isOneOfSeveral = false
        var isMissing = false
        var followers: [UInt64: Wakeup] = [:]
        var followerCount: UInt64 = 0
    }

    private let state = Guarded(State())

    // MARK: The loop's thread

    func leads(_ place: Place) {
        let followers = state.withLock { state -> [Wakeup] in
            guard state.place != place else { return [] }
            state.place = place
            return Array(state.followers.values)
        }
        for follower in followers { follower.signal() }
    }

    /// - Parameters:
    ///   - isOneOfSeveral: whether another publisher may lead in the place of the leader.
    ///   - isMissing: whether there are publishers, and none is known to lead.
    func update(isOneOfSeveral: Bool, isMissing: Bool) {
        let followers = state.withLock { state -> [Wakeup] in
            state.isMissing = isMissing
            guard state.isOneOfSeveral != isOneOfSeveral else { return [] }
            state.isOneOfSeveral = isOneOfSeveral
            return Array(state.followers.values)
        }
        for follower in followers { follower.signal() }
    }

    // MARK: Any thread

    /// The leader; `nil` before the first one, and the last one while none is known.
    var place: Place? { state.withLock { $0.place } }

    /// Whether another publisher may lead in its place.
    var isOneOfSeveral: Bool { state.withLock { $0.isOneOfSeveral } }

    /// Whether there are publishers, and none is known to lead.
    var isMissing: Bool { state.withLock { $0.isMissing } }

    /// Adds a thread to wake when another publisher leads.
    ///
    /// - Returns: a number for ``remove(_:)``.
    func add(_ wakeup: Wakeup) -> UInt64 {
        state.withLock { state in
            state.followerCount += 1
            state.followers[state.followerCount] = wakeup
            return state.followerCount
        }
    }

    func remove(_ follower: UInt64) {
        state.withLock { $0.followers[follower] = nil }
    }
}
