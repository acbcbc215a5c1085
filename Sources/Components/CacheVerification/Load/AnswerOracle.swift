package import CacheModel

/// Decides what each answer of a cluster may show. The thread that owns it acts as the database of
/// its keys.
///
/// This module judges answers and requests none. ``AnswerOracle`` is part of a load test and knows
/// everything about its keys. ``StandingCheck`` observes a cluster at work and knows only what
/// nodes report about theirs.
///
///     changed ─▶ newest(k)          the version that the database has
///     invalidationSent ─▶ ticket    with the version that was newest then
///     receipt(ticket, all) ─▶ promised(k)   no fresh answer to a later get shows less
///
///     floor(of: k) ── get ──▶ answer ── judge ─▶ right, or a WrongAnswer and the key's history
///
/// ### Assumptions
/// One thread owns a key: no other thread or client changes, invalidates or fills it, and only
/// verified runs use its name. A fill carries the version that is newest *after* its token has
/// arrived. Then docs/consistency.md promises each answer below, whatever is in flight at once:
///
///   - A receipt that arrives after a get was sent promises nothing about that get: ``floor(of:)``
///     is read when the get is sent.
///   - A ticket keeps the version at the time of sending. Receipts of one key may overlap and
///     arrive in any order; the greatest version counts. An incomplete receipt promises nothing.
///     The end of leases is not used here, because the thread does not know how long leases are.
///   - A value of an earlier run is older than every version of this one.
///   - Unfenced values are outside of the promises: their bytes are checked, their age is not. An
///     *overtaken* value is judged like any fresh one: it is right for a reader that asked before
///     the invalidation was applied, and the floor says just that.
///
/// ### Cost
/// 40 bytes a key and two rings of events. Every call is O(1) and allocates nothing, except
/// ``history(of:)`` and the checksum, which is O(value bytes).
package struct AnswerOracle: Sendable {
    /// The state of one key.
    private struct KeyState {
        var newest = Version.none
        var promised = Version.none
        /// The receipt that promised it; a history without that receipt proves nothing.
        var promisedAt = Instant(nanoseconds: 0)
        var promisedBy = LogPosition.none
    }

    package let keys: OwnedKeys
    /// Distinguishes this run's values from those of another.
    package let run: RunStamp
    private var states: [KeyState]
    /// Counters of judged answers.
    package private(set) var tally = AnswerTally()
    var history: EventHistory

    /// - Parameter run: unique for each run, and the same for all of its threads.
    /// - Parameter limits: how many events to keep for ``history(of:)``.
    package init(keys: OwnedKeys, run: RunStamp, limits: VerificationLimits = .standard) {
        self.keys = keys
        self.run = run
        states = Array(repeating: KeyState(), count: keys.count)
        history = EventHistory(limits)
    }

    /// The version that the database has; ``CacheModel/Version/none`` before the first change.
    package func newest(of key: Int) -> Version { states[keys.place(of: key)].newest }

    /// The least version that a fresh answer may show to a get that is sent now.
    ///
    /// Read it before sending the get, and pass it with the answer.
    package func floor(of key: Int) -> Version { states[keys.place(of: key)].promised }

    /// The database has a new value for the key.
    ///
    /// - Returns: its version.
    /// - Precondition: the key has changed less than 2^40 times.
    @discardableResult
    package mutating func changed(_ key: Int, at now: Instant) -> Version {
        let place = keys.place(of: key)
        let version = Version(states[place].newest.rawValue + 1)
        precondition(version <= VerifiedValue.versionMax, "a key changes at most 2^40 times")
        states[place].newest = version
        history.note(KeyEvent(.changed, key, version, at: now))
        return version
    }

    /// An invalidation of the key is about to be sent.
    ///
    /// - Returns: the ticket to pass with its receipt.
    package mutating func invalidationSent(_ key: Int, at now: Instant) -> InvalidationTicket {
        let version = newest(of: key)
        history.note(KeyEvent(.invalidationSent, key, version, at: now))
        return InvalidationTicket(key: key, version: version)
    }

    /// A receipt arrived for an invalidation.
    ///
    /// - Parameter isComplete: whether the receipt says that *all* was reached. A publisher with
    ///   its log in memory can lose a record that no node has applied. So without a durable log,
    ///   pass a receipt that lists no node as applied as incomplete.
    package mutating func receipt(
        _ ticket: InvalidationTicket, isComplete: Bool, position: LogPosition = .none,
        at now: Instant
    ) {
        if isComplete { promise(ticket, by: position, at: now) }
        let kind: KeyEvent.Kind = isComplete ? .receiptComplete : .receiptIncomplete
        history.note(KeyEvent(kind, ticket.key, ticket.version, at: now, position: position))
    }

    /// No receipt came; whether the invalidation is in the log is not known.
    package mutating func receiptMissing(_ ticket: InvalidationTicket, at now: Instant) {
        history.note(KeyEvent(.receiptMissing, ticket.key, ticket.version, at: now))
    }

    private mutating func promise(
        _ ticket: InvalidationTicket, by position: LogPosition, at now: Instant
    ) {
        let place = keys.place(of: ticket.key)
        guard ticket.version > states[place].promised else { return }
        states[place].promised = ticket.version
        states[place].promisedAt = now
        states[place].promisedBy = position
    }

    /// Writes the value to store for a key with a new token: the version that is newest now.
    ///
    /// - Parameter value: all of it is written.
    /// - Precondition: it has room for at least ``VerifiedValue/bytesMin`` bytes.
    @discardableResult
    package mutating func fill(
        _ key: Int, into value: UnsafeMutableRawBufferPointer, at now: Instant
    ) -> Version {
        let version = newest(of: key)
        VerifiedValue(key: key, version: version, run: run).write(into: value)
        history.note(KeyEvent(.fillSent, key, version, at: now))
        return version
    }

    /// A fill was answered.
    package mutating func fillAnswered(
        _ key: Int, _ version: Version, isStored: Bool, at now: Instant
    ) {
        history.note(KeyEvent(isStored ? .stored : .fillRefused, key, version, at: now))
    }

    /// Judges an answer.
    ///
    /// - Parameter value: its bytes; read only if the answer shows a value.
    /// - Returns: `nil` if the answer is right.
    package mutating func judge(
        _ answer: JudgedAnswer, value: UnsafeRawBufferPointer, at now: Instant
    ) -> WrongAnswer? {
        tally.count(answer)
        guard answer.standing != .miss else {
            history.note(KeyEvent(.missed, answer, Version.none, at: now))
            return nil
        }
        guard let shown = VerifiedValue(decoding: value) else {
            history.note(KeyEvent(.answeredDamaged, answer, Version.none, at: now))
            return wrong(.damagedBytes, answer, nil)
        }
        let kind = KeyEvent.Kind.answered(answer, isOfThisRun: shown.run == run)
        history.note(KeyEvent(kind, answer, shown.version, at: now))
        return judge(answer, shown)
    }

    private mutating func judge(_ answer: JudgedAnswer, _ shown: VerifiedValue) -> WrongAnswer? {
        guard shown.key == answer.key else { return wrong(.bytesOfAnotherKey, answer, shown) }
        // A value from before this run is older than all of its versions.
        let version = shown.run == run ? shown.version : .none
        if version > newest(of: answer.key) { return wrong(.fromTheFuture, answer, shown) }
        if answer.standing == .fresh, version < answer.floor {
            return wrong(.olderThanPromised, answer, shown)
        }
        return nil
    }

    private mutating func wrong(
        _ kind: WrongAnswer.Kind, _ answer: JudgedAnswer, _ shown: VerifiedValue?
    ) -> WrongAnswer {
        tally.wrongCount += 1
        return WrongAnswer(
            kind: kind, answer: answer, shown: shown, run: run, newest: newest(of: answer.key))
    }

    /// The last events of a key, one line for each, oldest first; times count back from the last
    /// event. The receipt of the promise is always included, however old it is.
    ///
    /// - Complexity: O(events kept).
    package func history(of key: Int) -> [String] {
        let state = states[keys.place(of: key)]
        guard state.promised > .none else { return history.lines(of: key, promise: nil) }
        let promise = KeyEvent(
            .receiptComplete, key, state.promised, at: state.promisedAt,
            position: state.promisedBy)
        return history.lines(of: key, promise: promise)
    }
}

/// Counters of judged answers, by their standing.
package struct AnswerTally: Hashable, Sendable {
    package internal(set) var freshCount = 0
    /// Fresh answers with a least version to show.
    package internal(set) var promisedCount = 0
    package internal(set) var staleCount = 0
    package internal(set) var unfencedCount = 0
    package internal(set) var missCount = 0
    package internal(set) var wrongCount = 0

    package init() {}

    mutating func count(_ answer: JudgedAnswer) {
        switch answer.standing {
        case .fresh:
            freshCount += 1
            if answer.floor > .none { promisedCount += 1 }
        case .stale: staleCount += 1
        case .unfenced: unfencedCount += 1
        case .miss: missCount += 1
        }
    }
}
