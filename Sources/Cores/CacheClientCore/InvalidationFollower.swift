package import CacheModel
package import CacheWire

/// Follows one publisher's log from a position and delivers every record once and in order.
///
/// Sans-I/O: the caller passes what arrived and the capacity of the reader's buffer, and gets
/// actions. A record that does not directly follow the last one is not buffered but requested
/// again. A replay closes the gap. Records beyond the buffer's capacity are replayed later.
///
///     following ──gap, or a heartbeat ahead──▶ replay asked for ──REPLAY──▶ following
///                                                     └──TRUNCATED──▶ lost, on from the head
package struct InvalidationFollower: Sendable {
    package enum Action: Hashable, Sendable {
        case deliver(InvalidationRecord)
        /// The records between these positions are lost.
        case lost(after: LogPosition, continuingAfter: LogPosition)
        case heartbeat(head: LogPosition)
        /// Ask the publisher for what follows this mark.
        case resume(log: LogID, after: LogMark)
    }

    /// The position up to which all records were delivered. If it follows from the head, `nil`
    /// before the first heartbeat.
    private var applied: LogMark?
    /// The digest at `applied` is known only after the first record or heartbeat.
    private var knowsDigest = false
    private var isReplaying = false
    /// Whether the start position is of another cluster: all records since then are lost.
    private var isVoid: Bool
    private var log = LogID.none

    /// - Parameters:
    ///   - start: the position after which to begin; `nil` begins at the head.
    ///   - isVoid: whether that position is of another cluster. Then it also begins at the head,
    ///     and first reports everything in between as lost.
    package init(after start: LogPosition?, isVoid: Bool = false) {
        self.isVoid = isVoid && start != nil
        applied = start.map { LogMark(position: $0, digest: LogDigest(0)) }
    }

    /// Whether it still has to report everything since its start as lost.
    package var isStillVoid: Bool { isVoid }

    package var position: LogPosition? { applied?.position }

    /// Whether a publisher with that head is behind this follower, in the same epoch.
    package func isAhead(of head: LogPosition) -> Bool {
        guard let applied, !isVoid else { return false }
        return applied.position.epoch == head.epoch && applied.position > head
    }

    /// A heartbeat arrived, with the publisher's log and its head.
    package mutating func heard(_ heartbeat: Heartbeat, room: Int) -> [Action] {
        guard let applied else {
            restart(at: heartbeat.head, of: heartbeat.log)
            return room > 0 ? [.heartbeat(head: heartbeat.head.position)] : []
        }
        if isVoid || log != .none && log != heartbeat.log {
            let lost = Action.lost(
                after: applied.position, continuingAfter: heartbeat.head.position)
            guard room > 0 else { return [] }
            restart(at: heartbeat.head, of: heartbeat.log)
            return [lost]
        }
        log = heartbeat.log
        var actions: [Action] = []
        if room > 0 { actions.append(.heartbeat(head: heartbeat.head.position)) }
        if heartbeat.head.position != applied.position {
            // Repeated at each heartbeat until there is an answer: the request may be lost, too.
            isReplaying = true
            actions.append(.resume(log: knowsDigest ? log : .none, after: applied))
        }
        return actions
    }

    /// The publisher is of another cluster: delivered records say nothing about its log. The
    /// follower continues at the head of that log.
    package mutating func isElsewhere() {
        isVoid = applied != nil
        isReplaying = false
    }

    /// A request for a long silence: the publisher answers it in any case.
    package var probe: Resume {
        Resume(
            incarnation: .none, log: knowsDigest ? log : .none, after: applied ?? .none, limit: 1)
    }

    /// Records arrived, live or replayed.
    ///
    /// - Parameter room: how many more events the reader takes now.
    package mutating func received(_ run: RecordRun, room: Int) -> [Action] {
        guard var applied, !isVoid else { return [] }
        if run.head != nil { isReplaying = false }
        var actions: [Action] = []
        for record in run.records where record.position > applied.position {
            guard follows(record, applied) else { break }
            guard actions.count < room else { return actions }
            actions.append(.deliver(record.record))
            applied = record.mark
            knowsDigest = true
            self.applied = applied
        }
        let target = run.head?.position ?? run.records.last?.position ?? applied.position
        if applied.position < target, !isReplaying {
            isReplaying = true
            actions.append(.resume(log: knowsDigest ? log : .none, after: applied))
        }
        return actions
    }

    private func follows(_ record: SealedRecord, _ applied: LogMark) -> Bool {
        let isNext =
            record.position.directlyFollows(applied.position)
            || (applied.position == .none && record.position.sequence == SequenceNumber(1))
        return isNext && (!knowsDigest || record.record.previousDigest == applied.digest)
    }

    /// The requested records are no longer kept, or are of another log.
    package mutating func truncated(_ answer: Truncated, room: Int) -> [Action] {
        isReplaying = false
        guard room > 0 else { return [] }
        let lost = Action.lost(
            after: applied?.position ?? .none, continuingAfter: answer.head.position)
        restart(at: answer.head, of: answer.log)
        return [lost]
    }

    private mutating func restart(at head: LogMark, of log: LogID) {
        applied = head
        knowsDigest = true
        isReplaying = false
        isVoid = false
        self.log = log
    }
}
