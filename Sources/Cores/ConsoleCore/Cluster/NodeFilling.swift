package import CacheModel

/// Copying of entries that a node has not finished: from replicas after its start, or from the
/// owners before of slots that it got.
package enum NodeFilling: Hashable, Sendable {
    /// It asks another node what that holds.
    case asking
    /// Of the keys of another node so many are here.
    case copying(done: UInt64, of: UInt64)
    /// It is empty, and no replica is LIVE.
    case awaiting

    /// - Parameters:
    ///   - state: the node's. Only a LIVE one is filled.
    ///   - sum: of a figure, over its shards.
    /// - Returns: `nil` if it copies nothing.
    package init?(_ state: NodeState?, _ sum: (String) -> UInt64?) {
        guard state == .live else { return nil }
        switch sum("warm_up_phase") {
        case 1: self = .asking
        case 2: self = .copying(done: sum("warm_up_done") ?? 0, of: sum("warm_up_keys") ?? 0)
        case 5: self = .awaiting
        default: return nil
        }
    }

    /// Follows the name of the node.
    package var sentence: String {
        switch self {
        case .asking: "is being filled: it asks another node what that holds"
        case .copying(let done, let count):
            "is being filled: \(done) of \(count) keys of another node are here"
        case .awaiting: "is empty, and waits for a LIVE replica to be filled from"
        }
    }
}

extension NodeSnapshot {
    /// What it has not copied yet; `nil`: it copies nothing, or does not answer.
    var filling: NodeFilling? {
        guard absence == nil else { return nil }
        return NodeFilling(sighting?.state, track.sum)
    }
}
