import CacheModel

/// One step of following a log: the state of a ``Subscriber``, moved out to be changed, with the
/// actions that were decided so far.
struct Pursuit {
    /// Whether the publisher and this place speak of the same log.
    private enum Agreement {
        case confirmed
        /// It was contradicted before this step, and nothing has confirmed it since.
        case doubted
        /// It was contradicted in this step.
        case contradicted
    }

    private let guards: Guards
    private(set) var place: LogPlace
    private var target: LogPosition
    private var held: HeldRecords
    private var agreement: Agreement
    private let wasRecovering: Bool
    private let appliedBefore: LogMark
    private var run: [SealedRecord] = []
    private var actions: [Subscriber.Action] = []

    /// - Returns: `nil` where no log is followed yet.
    init?(from state: Subscriber.State, guards: Guards) {
        self.guards = guards
        switch state {
        case .unsynchronized: return nil
        case .live(let place), .diverged(let place):
            self.place = place
            target = place.applied.position
            held = HeldRecords()
        case .recovering(let place, let missing):
            self.place = place
            target = missing.target
            held = missing.held
        }
        if case .diverged = state { agreement = .doubted } else { agreement = .confirmed }
        if case .recovering = state { wasRecovering = true } else { wasRecovering = false }
        appliedBefore = place.applied
    }

    /// Where the step ended, in the words of the subscriber.
    var state: Subscriber.State {
        guard agreement == .confirmed else { return .diverged(place) }
        return isRecovering ? .recovering(place, Missing(target: target, held: held)) : .live(place)
    }

    private var isRecovering: Bool { !held.isEmpty || place.applied.position < target }

    /// Closes the step: what was decided, in order.
    mutating func finish() -> [Subscriber.Action] {
        flush()
        return actions
    }

    // MARK: - Records

    /// Takes a record off the stream.
    mutating func take(_ record: SealedRecord) {
        guard agreement != .contradicted, record.position.sequence != .none else { return }
        if record.position.epoch > place.applied.position.epoch {
            jump(before: record, cause: .newEpoch)
        }
        guard agreement == .confirmed else { return }
        follow(record)
    }

    /// Takes a record of a replay. It may confirm a place that was in doubt.
    ///
    /// A replay begins no later than right after a mark that was applied when it was requested. One
    /// that begins later was cut: the records between are no longer kept.
    mutating func takeReplayed(_ record: SealedRecord) {
        guard agreement != .contradicted, record.position.sequence != .none else { return }
        let applied = place.applied
        if record.position.epoch > applied.position.epoch {
            jump(before: record, cause: .newEpoch)
        } else if record.position.leavesGap(after: applied.position) {
            jump(before: record, cause: .truncated)
        } else if record.position.directlyFollows(applied.position),
            record.record.previousDigest == applied.digest
        {
            agreement = .confirmed
        }
        follow(record)
    }

    /// Applies, holds or passes over a record of this epoch or an older one.
    private mutating func follow(_ record: SealedRecord) {
        guard agreement != .contradicted else { return }
        if record.position.leavesGap(after: place.applied.position), !guards.isOn(.replay) {
            place = LogPlace(at: Self.mark(before: record), of: place.log)
        }
        let applied = place.applied
        if record.position <= applied.position {
            // A duplicate – unless the same number was given to another record.
            if contradicts(record.mark) { contradict() }
        } else if record.position.directlyFollows(applied.position) {
            guard isLinked(record) else { return contradict() }
            accept(record)
            releaseHeld()
        } else {
            target = max(target, record.position)
            held.hold(record)
        }
    }

    private mutating func accept(_ record: SealedRecord) {
        place.applied = record.mark
        place.recent.remember(record.mark)
        place.headBehind = nil
        target = max(target, record.position)
        run.append(record)
    }

    private mutating func releaseHeld() {
        while let first = held.first {
            if first.position <= place.applied.position {
                if contradicts(first.mark) { return contradict() }
            } else if !first.position.directlyFollows(place.applied.position) {
                return
            } else if !isLinked(first) {
                return contradict()
            } else {
                accept(first)
            }
            _ = held.releaseFirst()
        }
    }

    // MARK: - Heads

    /// Compares the publisher's head with the applied mark. Where the log's id is not known yet, a
    /// head of this epoch supplies it; the digests show whether it was right.
    mutating func hear(head: LogMark, of log: LogID) {
        let applied = place.applied
        let isNamed = place.log != .none
        if !isNamed, head.position.epoch == applied.position.epoch { place.log = log }
        guard log == place.log || !isNamed, head.position.epoch >= applied.position.epoch else {
            return contradict()
        }
        if head.position.epoch > applied.position.epoch {
            forget(continueFrom: head, log: log, cause: .newEpoch)
        } else if head.position > applied.position {
            if guards.isOn(.headCheck) { target = max(target, head.position) }
            place.headBehind = nil
        } else if contradicts(head) {
            contradict()
        } else if head.position == applied.position {
            agreement = .confirmed
            place.headBehind = nil
        } else if place.headBehind == head.position {
            contradict()
        } else {
            place.headBehind = head.position
        }
    }

    /// Compares the head that came with a replay. It may answer an older request, so a head that
    /// lies behind proves nothing.
    mutating func hearReplayed(head: LogMark) {
        guard head.position >= place.applied.position else { return }
        hear(head: head, of: place.log)
    }

    // MARK: - Giving up, and asking

    /// Hides everything and goes on from `mark`, which must lie strictly ahead: entries filled at
    /// the applied position are not below it otherwise, and positions would go back.
    mutating func forget(continueFrom mark: LogMark, log: LogID, cause: Subscriber.ForgetCause) {
        precondition(
            mark.position > place.applied.position, "forgetting moves the position forward")
        flush()
        if cause != .newEpoch || guards.isOn(.epochAdoption) {
            actions.append(.forget(continueFrom: mark, log: log, cause: cause))
        }
        place = LogPlace(at: mark, of: log)
        agreement = .confirmed
        if target.epoch != mark.position.epoch { target = mark.position }
        target = max(target, mark.position)
        releaseHeld()
    }

    /// A record does not say which log it is of, and a new epoch may be another log's.
    private mutating func jump(before record: SealedRecord, cause: Subscriber.ForgetCause) {
        let isSameEpoch = record.position.epoch == place.applied.position.epoch
        forget(
            continueFrom: Self.mark(before: record), log: isSameEpoch ? place.log : .none,
            cause: cause)
    }

    private static func mark(before record: SealedRecord) -> LogMark {
        let sequence = SequenceNumber(record.position.sequence.rawValue - 1)
        return LogMark(
            position: LogPosition(epoch: record.position.epoch, sequence: sequence),
            digest: record.record.previousDigest)
    }

    /// Whether what directly follows by its number does so by its digest.
    private func isLinked(_ record: SealedRecord) -> Bool {
        record.record.previousDigest == place.applied.digest || !guards.isOn(.digestCheck)
    }

    /// Whether a mark contradicts the digest of an applied record.
    private func contradicts(_ mark: LogMark) -> Bool {
        place.recent.contradicts(mark) && guards.isOn(.digestCheck)
    }

    /// The publisher and this place disagree. Held records may be of either log, so they are
    /// dropped.
    mutating func contradict() {
        agreement = .contradicted
        held = HeldRecords()
        target = place.applied.position
    }

    /// Requests missing records, or the publisher's confirmation where there is doubt.
    mutating func requestIfUnsettled() {
        if agreement != .confirmed || isRecovering { request() }
    }

    /// Requests once, when a gap opens or a contradiction appears.
    mutating func requestIfNew() {
        let hasOpened = isRecovering && !wasRecovering
        if agreement == .contradicted || (agreement == .confirmed && hasOpened) { request() }
    }

    mutating func requestIfRecovering() {
        if agreement == .confirmed, isRecovering { request() }
    }

    /// Requests the next chunk of a long replay; not where the last one brought nothing, so that
    /// two sides that misunderstand each other do not ask and answer without end.
    mutating func requestIfAdvanced() {
        if agreement == .confirmed, isRecovering, place.applied != appliedBefore { request() }
    }

    mutating func request() {
        flush()
        actions.append(.requestReplay(after: place.applied, log: place.log))
    }

    private mutating func flush() {
        guard !run.isEmpty else { return }
        actions.append(.apply(run))
        run = []
    }
}
