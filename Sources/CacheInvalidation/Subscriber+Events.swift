package import CacheModel

extension Subscriber {
    /// Records came over the live channel.
    ///
    /// - Complexity: O(records), also where some are held, as long as they come in order.
    package mutating func received(_ records: [SealedRecord]) -> [Action] {
        if case .unsynchronized = state {
            hold(records)
            return []
        }
        return pursue { pursuit in
            for record in records { pursuit.take(record) }
            pursuit.requestIfNew()
        }
    }

    /// The publisher sent again what was missed, and told its head. Before a log is known nothing
    /// was asked for, and it is passed over.
    package mutating func receivedReplay(_ records: [SealedRecord], head: LogMark) -> [Action] {
        pursue { pursuit in
            for record in records { pursuit.takeReplayed(record) }
            pursuit.hearReplayed(head: head)
            pursuit.requestIfAdvanced()
        }
    }

    /// The publisher told its head, in a heartbeat or a PONG. A loss at the very end shows by it;
    /// and a question that may itself have been lost is asked again.
    package mutating func receivedHeartbeat(log: LogID, head: LogMark) -> [Action] {
        pursue { pursuit in
            pursuit.hear(head: head, of: log)
            pursuit.requestIfUnsettled()
        }
    }

    /// The publisher does not have what follows `asked`, and tells what it has instead.
    ///
    /// An answer to a question about another mark than the applied one is passed over: much may
    /// have arrived since. So is a head that does not lie ahead of what was applied, for the
    /// reason given at ``Pursuit/forget(continueFrom:log:cause:)``: a publisher that lost a tail
    /// opens a new epoch, and until then this stays diverged and reports its own mark.
    package mutating func receivedTruncated(
        asked: LogMark, log: LogID, head: LogMark
    ) -> [Action] {
        pursue { pursuit in
            guard log != .none, asked == pursuit.place.applied else { return }
            if head.position > asked.position {
                pursuit.forget(continueFrom: head, log: log, cause: .truncated)
                pursuit.requestIfRecovering()
            } else {
                pursuit.contradict()
            }
        }
    }

    /// The publisher answered a greeting. Whoever has followed no log takes up this one at its
    /// head; for others it is one more word about the head.
    package mutating func welcomed(log: LogID, head: LogMark) -> [Action] {
        guard log != .none else { return [] }
        guard case .unsynchronized = state else { return receivedHeartbeat(log: log, head: head) }
        return begin(at: head, of: log)
    }

    /// The publisher refuses to vouch for this place. It is asked about it outright: what it
    /// answers tells whether something is missing or contradicted.
    package mutating func receivedDoubt() -> [Action] {
        pursue { $0.request() }
    }
}
