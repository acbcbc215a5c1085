import CacheModel

/// Which keys this node's own clients wrote lately, and which forwarded writes ended: what a
/// forwarded write is judged by at the owner of its key. docs/decisions/0122.
struct EndedWrites: Sendable {
    private struct Forwarded: Hashable {
        let line: WriteLine
        let name: OperationID
    }

    /// By key: the record that gave it to this node before its last own write.
    private var own: [WriteLine: LogPosition] = [:]
    private var forwarded: Set<Forwarded> = []
    /// The greatest position of those that are forgotten.
    private var forgotten = LogPosition.none

    /// The invalidation of a write is published.
    mutating func note(_ write: QueuedWrite, at position: LogPosition) {
        if write.isForwarded {
            if forwarded.count >= WriteLimits.endedMax { forwarded = [] }
            forwarded.insert(Forwarded(line: write.content.line, name: write.content.name))
            return
        }
        if own.count >= WriteLimits.endedMax {
            forgotten = own.values.reduce(forgotten, max)
            own = [:]
        }
        // An operator's retry may be of any time.
        own[write.content.line] = write.ownedSince ?? position
    }

    /// Whether an own write of the key may have ended that was accepted since a position.
    ///
    /// - Parameter coveredAt: the newest record that covers the key.
    private func mayHaveOwn(
        _ line: WriteLine, since position: LogPosition, _ coveredAt: LogPosition?
    ) -> Bool {
        if let last = own[line], last >= position { return true }
        return forgotten >= position && coveredAt.map { $0 > position } ?? false
    }

    /// Whether this forwarded write has ended; `false` also if that is long ago.
    private func contains(_ write: OriginWrite) -> Bool {
        forwarded.contains(Forwarded(line: write.line, name: write.name))
    }

    /// Whether a forwarded write comes too late.
    ///
    /// - Parameters:
    ///   - lane: the writes of the key that are neither over nor rejected.
    ///   - route: where those go.
    /// - Returns: the answer to give at once; `nil`: it is taken.
    func answer(
        to forwarded: ForwardedWrite, of write: OriginWrite, behind lane: [QueuedWrite],
        _ route: WriteRoute.Choice
    ) -> WriteAnswer? {
        if let known = lane.first(where: { $0.content.name == write.name }) {
            return Self.stays(known, route) ? .queued : .undecided
        }
        if contains(write) { return .queued }
        switch forwarded {
        case .unconditional: return nil
        case .stale: return .overtaken
        case .following(let since, let coveredAt):
            let isOwnWaiting = lane.contains { own in
                !own.isForwarded && own.ownedSince.map { $0 >= since } ?? true
            }
            let isNewerThere = isOwnWaiting || mayHaveOwn(write.line, since: since, coveredAt)
            return isNewerThere ? .overtaken : nil
        }
    }

    /// Whether this node has a write for good. One that it forwards may be over in a moment, by an
    /// earlier answer of its new owner.
    private static func stays(_ write: QueuedWrite, _ route: WriteRoute.Choice) -> Bool {
        guard write.keeping == .durable else { return false }
        switch write.course {
        case .forwarding: return false
        case .waiting: return route(write.content.line, write.ownedSince) == .origin
        case .trying, .announcing, .owing: return true
        }
    }
}
