import CacheModel

/// One invalidation of one key, until the last look at it is over.
struct KeySample: Sendable {
    let key: WatchedKey
    let position: LogPosition
    let scope: Scope
    let heardAt: Instant
    /// When the receipt arrived that says that all was reached.
    var receiptAt: Instant?
    /// The findings of the first look, while nodes are asked again.
    var firstLook: LookFindings?
    private var early: [SampleEvent] = []
    /// The last events, once the first half is full.
    private var late: [SampleEvent] = []
    private var forgottenCount = 0

    init(_ key: WatchedKey, _ record: InvalidationRecord, _ scope: Scope, at now: Instant) {
        self.key = key
        position = record.position
        self.scope = scope
        heardAt = now
        note(.invalidated(record.position, scope, record.strength), at: now)
    }

    mutating func note(_ kind: SampleEvent.Kind, at now: Instant) {
        let event = SampleEvent(at: now, kind: kind)
        let half = StandingLimits.eventsPerSampleMax / 2
        if early.count < half { return early.append(event) }
        if late.count == half {
            late.removeFirst()
            forgottenCount += 1
        }
        late.append(event)
    }

    /// The events, oldest first, each with its time after the arrival of the invalidation.
    var history: [String] {
        let gap = forgottenCount > 0 ? ["… \(forgottenCount) more …"] : []
        return lines(early) + gap + lines(late)
    }

    private func lines(_ events: [SampleEvent]) -> [String] {
        events.map {
            "+\(MillisecondsText.text(of: $0.at.elapsed(since: heardAt)))  \($0.sentence)"
        }
    }
}

extension KeySample {
    /// Judges an answer with respect to the invalidation.
    ///
    /// - Parameter askedAt: when the request was sent.
    func finding(_ answer: NodeAnswer?, askedAt: Instant, leaseBound: Duration) -> AnswerFinding {
        guard let answer else { return .unanswered }
        guard let entry = answer.entry else {
            return answer.isInCharge ? .right(isShown: false) : .beside
        }
        guard answer.isFresh else { return .right(isShown: false) }
        guard covers(entry) else { return .beside }
        guard let filled = entry.filled else { return .unknown }
        if filled >= position { return .right(isShown: true) }
        // From here on the entry is older than the invalidation, and shown as fresh.
        if entry.isUnfenced { return .unknown }
        if answer.applied >= position { return .wrong(.appliedAndShown) }
        if let receiptAt, receiptAt < askedAt { return .wrong(.shownAfterReceipt) }
        if askedAt.elapsed(since: heardAt) > leaseBound { return .wrong(.shownAfterLease) }
        return .behind
    }

    /// Whether the invalidation covers the present entry: it spares a value of the minimum version
    /// or a newer one, and a value without its tag.
    private func covers(_ entry: NodeAnswer.Entry) -> Bool {
        if let least = scope.minimumVersion, entry.version >= least { return false }
        guard case .tag(let tag, _) = scope.target else { return true }
        return entry.tags.contains(tag)
    }
}

/// An event of a sampled key.
struct SampleEvent: Sendable {
    enum Kind: Sendable {
        case invalidated(LogPosition, Scope, InvalidationRecord.Strength)
        case receipt(isComplete: Bool)
        case answered(NodeID, NodeAnswer?, AnswerFinding)
        case differing
    }

    let at: Instant
    let kind: Kind
}

extension SampleEvent {
    /// The event in words, without its time.
    var sentence: String {
        switch kind {
        case .invalidated(let position, let scope, let strength):
            let softly = strength == .soft ? "softly " : ""
            return "\(softly)invalidated at \(position) by \(scope)"
        case .receipt(true): return "receipt: all nodes reached"
        case .receipt(false): return "receipt: not complete"
        case .differing: return "nodes show different versions of it, all fresh"
        case .answered(let node, let answer, let finding):
            return "\(node): \(answer.map { $0.sentence + "; " } ?? "")\(finding.sentence)"
        }
    }
}

extension NodeAnswer {
    var sentence: String {
        guard let entry else { return "\(verdict), applied \(applied)" }
        var parts = [verdict, "applied \(applied)"]
        if let filled = entry.filled { parts.append("filled at \(filled)") }
        if entry.version != .none { parts.append("version \(entry.version)") }
        if entry.isUnfenced { parts.append("stored without a token") }
        parts.append("stored \(MillisecondsText.text(of: entry.age)) earlier")
        return parts.joined(separator: ", ")
    }
}
