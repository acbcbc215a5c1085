package import CacheModel

/// Follows one publisher's invalidation log and notices when something is missing, cut or other
/// than it was.
///
/// The node's control thread owns one and hands it what arrived, on each channel; other followers
/// of a log use the same value. It owns no socket, reads no clock, decodes nothing. Each call
/// returns the actions to take, in order.
///
///     records ──────▶ ┌────────────┐ ──▶ apply: contiguous, digest-linked, each once
///     replay ───────▶ │ Subscriber │ ──▶ requestReplay: something is missing, or in doubt
///     heads ────────▶ └────────────┘ ──▶ forget: the way from here to there is lost
///
/// Three promises:
/// - the records that it applies follow directly on the ones before, by number and by digest;
/// - its applied position never goes back, and forgetting always moves it strictly forward, so that
///   everything filled until then lies below the new position;
/// - it never forgets because a bound is reached: records that cannot be held are replayed.
package struct Subscriber: Sendable {
    /// The actions that the caller has to take.
    package enum Action: Equatable, Sendable {
        /// Apply these, in this order.
        case apply([SealedRecord])
        /// Ask the publisher for everything after `after` in `log`.
        case requestReplay(after: LogMark, log: LogID)
        /// Hide everything filled up to now and continue from `continueFrom` of `log`, which is
        /// ``LogID/none`` where its id is not known yet.
        case forget(continueFrom: LogMark, log: LogID, cause: ForgetCause)
    }

    /// Why everything filled so far must be hidden.
    package enum ForgetCause: Equatable, Sendable, CaseIterable {
        /// No log has been followed before; the first one is taken up at its head.
        case firstContact
        /// The publisher no longer keeps what is missing, or keeps another log.
        case truncated
        /// The log began a new epoch.
        case newEpoch
    }

    enum State: Equatable, Sendable {
        /// No log is known. What arrives is held. Becomes `live` when the publisher welcomes.
        case unsynchronized(held: HeldRecords)
        /// Everything up to the place is applied and nothing after it is known of. Becomes
        /// `recovering` on a gap or a head further on, `diverged` on a contradiction.
        case live(LogPlace)
        /// Something after the place is missing. Becomes `live` when it has come, or when it is
        /// given up by forgetting.
        case recovering(LogPlace, Missing)
        /// The publisher contradicts what was applied. Nothing is taken from the stream until it
        /// confirms the place, continues from it, or gives it up by another.
        case diverged(LogPlace)
    }

    private(set) var state: State
    private let guards: Guards

    package init(guards: Guards = .all) {
        self.guards = guards
        state = .unsynchronized(held: HeldRecords())
    }

    /// Goes on in `log` from `mark`, which was applied by an earlier run.
    package init(resuming log: LogID, at mark: LogMark, guards: Guards = .all) {
        precondition(log != .none && mark.position.epoch != .none, "it followed a log")
        self.guards = guards
        state = .live(LogPlace(at: mark, of: log))
    }

    /// The mark that was applied last; ``LogMark/none`` before a log is known.
    package var applied: LogMark { place?.applied ?? .none }

    /// The log that is followed; ``LogID/none`` before one is known, and where a record began a new
    /// epoch, until a head of it is told.
    package var log: LogID { place?.log ?? .none }

    /// Whether a log is followed and nothing after the applied mark is known to exist.
    package var isAtHead: Bool {
        if case .live = state { true } else { false }
    }

    package var isRecovering: Bool {
        if case .recovering = state { true } else { false }
    }

    /// Whether the publisher contradicts what was applied: nothing may be called fresh.
    package var isDiverged: Bool {
        if case .diverged = state { true } else { false }
    }

    /// Whether a mark says of what was applied what it was not.
    package func contradicts(_ mark: LogMark) -> Bool {
        guards.isOn(.digestCheck) && place?.recent.contradicts(mark) ?? false
    }

    /// Whether a head is behind the applied mark in the same log, and contradicts nothing. Nothing
    /// has passed a head while the publisher contradicts what was applied.
    package func hasPassed(_ head: LogMark, of log: LogID) -> Bool {
        let applied = applied.position
        return !isDiverged && log == self.log && head.position.epoch == applied.epoch
            && head.position < applied && !contradicts(head)
    }

    /// Records that wait for what should have come before them.
    package var heldCount: Int {
        switch state {
        case .unsynchronized(let held): held.count
        case .recovering(_, let missing): missing.held.count
        case .live, .diverged: 0
        }
    }

    /// The furthest position known to exist, applied or not.
    package var knownHead: LogPosition {
        if case .recovering(_, let missing) = state { missing.target } else { applied.position }
    }

    /// How many known records have neither been applied nor are held.
    package var missingCount: UInt64 {
        guard case .recovering(let place, let missing) = state else { return 0 }
        let known = missing.target.sequence.rawValue - place.applied.position.sequence.rawValue
        return known - min(known, UInt64(missing.held.count))
    }

    private var place: LogPlace? {
        switch state {
        case .unsynchronized: nil
        case .live(let place), .recovering(let place, _), .diverged(let place): place
        }
    }

    /// Lets `body` go on from where this stands, and keeps where it got to.
    ///
    /// The state is moved out meanwhile, so that held records are changed in place and not copied.
    /// Before a log is known there is nothing to go on from, and `body` does not run.
    mutating func pursue(_ body: (inout Pursuit) -> Void) -> [Action] {
        guard var pursuit = Pursuit(from: state, guards: guards) else { return [] }
        state = .unsynchronized(held: HeldRecords())
        body(&pursuit)
        let actions = pursuit.finish()
        state = pursuit.state
        checkInvariants()
        return actions
    }

    /// Takes up a log at its head, having followed none.
    mutating func begin(at head: LogMark, of log: LogID) -> [Action] {
        guard case .unsynchronized(var held) = state else {
            preconditionFailure("only a subscriber without a log can begin one")
        }
        state = .live(LogPlace(at: head, of: log))
        let rest = pursue { pursuit in
            while let record = held.releaseFirst() { pursuit.take(record) }
            pursuit.requestIfRecovering()
        }
        return [.forget(continueFrom: head, log: log, cause: .firstContact)] + rest
    }

    /// Holds what came before any log was known.
    mutating func hold(_ records: [SealedRecord]) {
        guard case .unsynchronized(var held) = state else { return }
        state = .unsynchronized(held: HeldRecords())
        for record in records { held.hold(record) }
        state = .unsynchronized(held: held)
    }
}

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
