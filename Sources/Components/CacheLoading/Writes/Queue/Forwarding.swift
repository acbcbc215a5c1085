package import CacheModel

/// Where the accepted writes of a key go: docs/decisions/0122.
package enum WriteRoute: Equatable, Sendable {
    /// This node owns the key, and no other did since it accepted them.
    case origin
    /// Another node owns the key.
    ///
    /// - Parameter ownedSince: the record that gave the key to this node, which had it until then;
    ///   `nil`: it is to be written whatever other nodes have written.
    case node(NodeID, ownedSince: LogPosition?)
    /// Another node may have written the key since this one accepted them.
    case aside
    /// It is not known which node owns the key.
    case unknown

    /// - Parameter ownedSince: the record that had given the key to this node when it accepted the
    ///   write.
    package typealias Choice = @Sendable (WriteLine, _ ownedSince: LogPosition?) -> WriteRoute
}

/// An accepted write, for the node that owns its key.
package struct WriteForward: Equatable, Sendable {
    package let number: WriteNumber
    package let node: NodeID
    package let write: OriginWrite
    /// As in ``WriteRoute/node(_:ownedSince:)``.
    package let ownedSince: LogPosition?

    package init(
        _ number: WriteNumber, to node: NodeID, _ write: OriginWrite, ownedSince: LogPosition?
    ) {
        (self.number, self.node, self.write) = (number, node, write)
        self.ownedSince = ownedSince
    }
}

/// The outcome of a ``WriteForward``.
package enum WriteForwardOutcome: Equatable, Sendable {
    /// The owner has it.
    case accepted
    /// The key was written since, or may have been.
    case overtaken
    /// Its origin refused it for good.
    case refused(WriteRejection)
    /// Unknown, or not accepted now. The owner may have it all the same.
    case failed(LoadFailure)
}

/// Where the writes of each key go, and the pace of forwarding.
struct Forwarding: Sendable {
    /// Another node's queue: it may take the writes of one namespace, and not those of another.
    struct Target: Hashable, Comparable {
        let node: NodeID
        let namespace: Namespace

        static func < (one: Self, other: Self) -> Bool {
            (one.node.name, one.namespace.name) < (other.node.name, other.namespace.name)
        }
    }

    var route: WriteRoute.Choice = { _, _ in .origin }
    private(set) var targets: [Target: NamespaceReplay] = [:]

    subscript(target: Target) -> NamespaceReplay {
        get {
            targets[target]
                ?? NamespaceReplay(
                    restBase: WriteLimits.forwardRestBase, restMax: WriteLimits.forwardRestMax)
        }
        set { targets[target] = newValue }
    }

    /// Keys may have other owners: nothing is ready any more, and no target has to wait.
    mutating func begin(now: Instant) {
        targets = targets.filter { $0.value.tryingCount > 0 }
        for target in targets.keys {
            targets[target]?.removeReady()
            targets[target]?.endRest(now: now)
        }
    }

    /// When a target may be tried again; `nil`: none has to wait.
    var nextDue: Instant? {
        targets.values.compactMap { $0.tryingCount == 0 && $0.hasReady ? $0.restsUntil : nil }.min()
    }
}
