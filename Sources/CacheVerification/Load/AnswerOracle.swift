package import CacheModel

/// What every answer of a cluster may show, known by the one thread that is the database of its
/// keys.
///
/// This module judges answers; it asks for none. ``AnswerOracle`` stands inside a load test and
/// knows everything about its keys, ``StandingCheck`` stands beside a cluster at work and knows
/// only what nodes say about theirs.
///
///     changed ─▶ newest(k)          the version that the database has
///     invalidationSent ─▶ ticket    with the version that was newest then
///     receipt(ticket, all) ─▶ promised(k)   no fresh answer to a later get shows less
///
///     floor(of: k) ── get ──▶ answer ── judge ─▶ right, or a WrongAnswer and the key's history
///
/// ### What it relies on
/// One thread owns a key: nobody else changes, invalidates or fills it, and its name is used by
/// verified runs only. A fill says the version that is newest *after* its token has come. Then
/// each answer below is promised by docs/consistency.md, whatever is in flight at once:
///
///   - A receipt that comes after a get was sent promises nothing about that get: ``floor(of:)`` is
///     taken when the get is sent.
///   - A ticket keeps the version of when it was sent. Receipts of one key may overlap and come in
///     any order; the greatest version counts. An incomplete one promises nothing: that a lease is
///     over then is not counted on here, because nobody tells the thread how long leases are.
///   - A value of an earlier run is older than every version of this one.
///   - Unfenced values are outside of the promises: their bytes are checked, their age is not.
///     An *overtaken* one is judged like any fresh one: it is right for who asked before the
///     invalidation was obeyed, and that is what the floor says.
///
/// ### Cost
/// 40 bytes a key and two rings of events. Every call is O(1) and allocates nothing, but
/// ``history(of:)`` and the checksum, which is O(value bytes).
package struct AnswerOracle: Sendable {
    /// What is known of one key.
    private struct KeyState {
        var newest = Version.none
        var promised = Version.none
        /// The receipt that promised it: a history that has none is no proof.
        var promisedAt = Instant(nanoseconds: 0)
        var promisedBy = LogPosition.none
    }

    package let keys: OwnedKeys
    /// What tells this run's values from those of another.
    package let run: RunStamp
    private var states: [KeyState]
    /// What was judged so far.
    package private(set) var tally = AnswerTally()
    var book: EventBook

    /// - Parameter run: another one for each run, and the same for all of its threads.
    /// - Parameter limits: how much of the past is kept for ``history(of:)``.
    package init(keys: OwnedKeys, run: RunStamp, limits: VerificationLimits = .standard) {
        self.keys = keys
        self.run = run
        states = Array(repeating: KeyState(), count: keys.count)
        book = EventBook(limits)
    }

    /// The version that the database has; ``CacheModel/Version/none`` before the first change.
    package func newest(of key: Int) -> Version { states[keys.place(of: key)].newest }

    /// The least version that a fresh answer may show to a get that is sent now.
    ///
    /// Take it before the get leaves, and hand it in with the answer.
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
        book.note(KeyEvent(.changed, key, version, at: now))
        return version
    }

    /// An invalidation of the key is about to leave.
    ///
    /// - Returns: what its receipt is handed in with.
    package mutating func invalidationSent(_ key: Int, at now: Instant) -> InvalidationTicket {
        let version = newest(of: key)
        book.note(KeyEvent(.invalidationSent, key, version, at: now))
        return InvalidationTicket(key: key, version: version)
    }

    /// A receipt came for an invalidation.
    ///
    /// - Parameter isComplete: whether it says that *all* was reached. A publisher whose log is in
    ///   memory can lose a record that no node has applied: without a durable log, a receipt that
    ///   lists nobody as applied is to be handed in as incomplete.
    package mutating func receipt(
        _ ticket: InvalidationTicket, isComplete: Bool, position: LogPosition = .none,
        at now: Instant
    ) {
        if isComplete { promise(ticket, by: position, at: now) }
        let kind: KeyEvent.Kind = isComplete ? .receiptComplete : .receiptIncomplete
        book.note(KeyEvent(kind, ticket.key, ticket.version, at: now, position: position))
    }

    /// No receipt came; whether the invalidation is in the log is not known.
    package mutating func receiptMissing(_ ticket: InvalidationTicket, at now: Instant) {
        book.note(KeyEvent(.receiptMissing, ticket.key, ticket.version, at: now))
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

    /// Writes the value to store for a key whose token has come: the version that is newest now.
    ///
    /// - Parameter value: all of it is written.
    /// - Precondition: it has room for at least ``VerifiedValue/bytesMin`` bytes.
    @discardableResult
    package mutating func fill(
        _ key: Int, into value: UnsafeMutableRawBufferPointer, at now: Instant
    ) -> Version {
        let version = newest(of: key)
        VerifiedValue(key: key, version: version, run: run).write(into: value)
        book.note(KeyEvent(.fillSent, key, version, at: now))
        return version
    }

    /// A fill was answered.
    package mutating func fillAnswered(
        _ key: Int, _ version: Version, isStored: Bool, at now: Instant
    ) {
        book.note(KeyEvent(isStored ? .stored : .fillRefused, key, version, at: now))
    }

    /// Holds an answer against what it may be.
    ///
    /// - Parameter value: its bytes; looked at only for what shows any.
    /// - Returns: `nil` if it is right.
    package mutating func judge(
        _ answer: JudgedAnswer, value: UnsafeRawBufferPointer, at now: Instant
    ) -> WrongAnswer? {
        tally.count(answer)
        guard answer.standing != .miss else {
            book.note(KeyEvent(.missed, answer, Version.none, at: now))
            return nil
        }
        guard let shown = VerifiedValue(decoding: value) else {
            book.note(KeyEvent(.answeredDamaged, answer, Version.none, at: now))
            return wrong(.damagedBytes, answer, nil)
        }
        let kind = KeyEvent.Kind.answered(answer, isOfThisRun: shown.run == run)
        book.note(KeyEvent(kind, answer, shown.version, at: now))
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

    /// What happened to a key lately, one line for each event, oldest first; times count back from
    /// its last event. What is promised of it is always told, however long ago that was.
    ///
    /// - Complexity: O(events kept).
    package func history(of key: Int) -> [String] {
        let state = states[keys.place(of: key)]
        guard state.promised > .none else { return book.lines(of: key, promise: nil) }
        let promise = KeyEvent(
            .receiptComplete, key, state.promised, at: state.promisedAt,
            position: state.promisedBy)
        return book.lines(of: key, promise: promise)
    }
}
