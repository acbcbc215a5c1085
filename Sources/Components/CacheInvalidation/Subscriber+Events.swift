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

    /// The publisher replayed missed records, and reported its head. Before a log is known no
    /// replay was requested, so it is ignored.
    package mutating func receivedReplay(_ records: [SealedRecord], head: LogMark) -> [Action] {
        pursue { pursuit in
            for record in records { pursuit.takeReplayed(record) }
            pursuit.hearReplayed(head: head)
            pursuit.requestIfAdvanced()
        }
    }

    /// The publisher reported its head, in a heartbeat or a PONG. The head shows a loss at the very
    /// end; and a request that may itself have been lost is repeated.
    package mutating func receivedHeartbeat(log: LogID, head: LogMark) -> [Action] {
        pursue { pursuit in
            pursuit.hear(head: head, of: log)
            pursuit.requestIfUnsettled()
        }
    }

    /// The publisher does not have the records after `asked`, and reports what it has instead.
    ///
    /// An answer about another mark than the applied one is ignored: much may have arrived since.
    /// So is a head that does not lie ahead of the applied mark, for the reason given at
    /// ``Pursuit/forget(continueFrom:log:cause:)``. A publisher that lost a tail opens a new epoch,
    /// and until then this stays diverged and reports its own mark.
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

    /// The publisher answered HELLO. A subscriber without a log begins to follow this one at its
    /// head; for others it is one more report of the head.
    package mutating func welcomed(log: LogID, head: LogMark) -> [Action] {
        guard log != .none else { return [] }
        guard case .unsynchronized = state else { return receivedHeartbeat(log: log, head: head) }
        return begin(at: head, of: log)
    }

    /// The publisher does not confirm this place. Requests a replay: the answer tells whether
    /// something is missing or contradicted.
    package mutating func receivedDoubt() -> [Action] {
        pursue { $0.request() }
    }
}
