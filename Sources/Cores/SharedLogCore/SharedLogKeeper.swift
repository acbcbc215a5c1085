package import CacheInvalidation
package import CacheModel
import CacheWire

/// One publisher's part in a shared log, on the thread that talks to the store: it claims the
/// prefix, follows the log, leads it in turn with others, and writes it while it leads.
///
///     publisher's thread ── Letter ──▶ ┌─────────────────────────────────┐ ── send ──▶ store
///                       ◀── News ───── │ PrefixClaim · Leadership ·      │ ◀ finished ─
///                                      │ SharedLogWriter · compaction    │
///                                      └─────────────────────────────────┘
///
/// A letter of a term that is over has no effect. Pure: its owner sends what it returns, and
/// reports every outcome.
package struct SharedLogKeeper {
    package enum Purpose: Hashable, Sendable {
        case claim
        case leadership(Leadership.Purpose)
        /// By the term: its outcome may come while another term writes.
        case write(of: TermID)
        case compact
    }

    /// From the publisher's thread.
    package enum Letter: Sendable {
        case write(SharedLogWriter.Order, of: TermID)
        case confirm(UInt64, of: TermID)
        /// The core has ended; what it ordered is written first.
        ///
        /// - Parameter isStopping: whether the process ends.
        case resign(isStopping: Bool)
    }

    /// For the publisher's thread.
    package enum News: Sendable {
        case lead(SharedTerm)
        case end(Leadership.EndCause)
        case written(SharedLogWriter.News)
        /// - Parameter seen: how far other publishers have seen the log, where the store was set
        ///   back. A new epoch is due, before the confirmation is used, if one is not of this log.
        case confirmed(UInt64, seen: [FurthestMark])
        case resigned
        case report(Leadership.Report)
        /// The prefix cannot be used, for this reason: the process ends.
        case refused(String)
    }

    package enum Action: Sendable {
        case send(Purpose, StoreRequest)
        case tell(News)
        /// Store this on the own disk, in place of the one before.
        case keep(FurthestMark)
    }

    private let keys: SharedKeys
    private let bytesMax: Int
    private var claim: PrefixClaim
    private var claimDue: Instant
    private var isClaiming = false
    /// Whether it was reported that the claim has no answer.
    private var isClaimInTrouble = false
    package private(set) var leadership: Leadership
    /// While the own term lasts.
    private var writer: SharedLogWriter?
    /// The core has ended: the term ends once everything is written, or at this time.
    private var resigning: (by: Instant, isStopping: Bool)?
    private var compaction: StoreCompaction
    private var keptMark: FurthestMark
    private var keepDue: Instant

    /// A publisher's own place, and those of all publishers of its configuration.
    package typealias Places = (own: Leadership.Endpoints, owner: PrefixOwner)

    /// - Parameter remembered: what an earlier run of this publisher has seen, and a number that is
    ///   drawn at random for each process.
    package init(
        _ keys: SharedKeys, _ places: Places, _ log: FollowedLog.Bounds,
        _ remembered: (furthest: FurthestMark, seed: UInt64), now: Instant
    ) {
        self.keys = keys
        bytesMax = log.bytesMax
        claim = PrefixClaim(keys, places.owner)
        claimDue = now
        leadership = Leadership(
            keys, as: places.own, log: FollowedLog(keys, log), remembered, now: now)
        compaction = StoreCompaction(now: now)
        keptMark = remembered.furthest
        keepDue = now
    }

    /// The checks of the protocol; test builds can disable some before the first event.
    package var guards: Guards {
        get { leadership.guards }
        set { leadership.guards = newValue }
    }

    // MARK: Events

    package mutating func take(_ letter: Letter, now: Instant) -> [Action] {
        switch letter {
        case .write(let order, let term):
            guard term == leadership.term?.term else { return [] }
            writer?.order(order)
            return tick(now: now)
        case .confirm(let number, let term):
            guard term == leadership.term?.term, resigning == nil else { return [] }
            return perform(leadership.confirm(number, now: now), now: now) + tick(now: now)
        case .resign(let isStopping):
            let end = now.advanced(by: SharedLogLimits.resignMax)
            resigning = (end, isStopping || resigning?.isStopping ?? false)
            return tick(now: now)
        }
    }

    /// A request has an outcome.
    package mutating func finished(
        _ purpose: Purpose, _ outcome: StoreOutcome, now: Instant
    ) -> [Action] {
        var actions: [Action] = []
        switch purpose {
        case .claim: actions = claimed(outcome, now: now)
        case .leadership(let purpose):
            actions = perform(leadership.finished(purpose, outcome, now: now), now: now)
        case .write(let term):
            if term == leadership.term?.term { actions = wrote(outcome, now: now) }
        case .compact: compaction.ended()
        }
        return actions + tick(now: now)
    }

    /// What is due now. Call it after every event, and no later than ``nextDue``.
    package mutating func tick(now: Instant) -> [Action] {
        guard claim.state == .claimed else { return continueClaim(now: now) }
        var actions = perform(leadership.tick(now: now), now: now)
        actions += write(now: now)
        actions += resignIfDone(now: now)
        if leadership.term != nil, let revision = compaction.next(now: now) {
            actions.append(.send(.compact, .compact(revision)))
        }
        if keepDue <= now, leadership.furthest != keptMark {
            keptMark = leadership.furthest
            keepDue = now.advanced(by: SharedLogLimits.furthestSpacing)
            actions.append(.keep(keptMark))
        }
        return actions
    }

    /// When ``tick(now:)`` has something to do without another event; `nil`: never.
    package var nextDue: Instant? {
        guard claim.state == .claimed else {
            if case .refused = claim.state { return nil }
            return isClaiming ? nil : claimDue
        }
        let keeping = leadership.furthest != keptMark ? keepDue : nil
        let compacting = leadership.term != nil ? compaction.nextDue : nil
        return [leadership.nextDue, writer?.nextDue, resigning?.by, keeping, compacting]
            .compactMap(\.self).filter { $0.nanoseconds < .max }.min()
    }

    // MARK: Claiming

    private mutating func continueClaim(now: Instant) -> [Action] {
        if let resigning {
            // Nothing was written, and nothing will be.
            self.resigning = nil
            return resigning.isStopping ? [.tell(.resigned)] : []
        }
        if case .refused = claim.state { return [] }
        guard !isClaiming, claimDue <= now else { return [] }
        isClaiming = true
        return [.send(.claim, .transaction(claim.next))]
    }

    private mutating func claimed(_ outcome: StoreOutcome, now: Instant) -> [Action] {
        isClaiming = false
        switch outcome {
        case .failure(let failure):
            claimDue = now.advanced(by: SharedLogLimits.pauseMax)
            defer { isClaimInTrouble = true }
            return isClaimInTrouble ? [] : [.tell(.report(.unreachable(failure.reason)))]
        case .success(let answer):
            guard case .transaction(_, let pairs) = answer.content else {
                claimDue = now.advanced(by: SharedLogLimits.pauseMax)
                return []
            }
            let news: [Action] = isClaimInTrouble ? [.tell(.report(.reachable))] : []
            isClaimInTrouble = false
            claim.answered(pairs.first?.first?.value)
            guard case .refused(let why) = claim.state else { return news }
            return news + [.tell(.refused(why))]
        }
    }

    // MARK: Leading

    private mutating func perform(
        _ actions: [Leadership.Action], now: Instant
    ) -> [Action] {
        var performed: [Action] = []
        for action in actions {
            switch action {
            case .send(let purpose, let request):
                performed.append(.send(.leadership(purpose), request))
            case .lead(let succession): performed += lead(succession, now: now)
            case .end(let cause):
                writer = nil
                performed.append(.tell(.end(cause)))
            case .confirmed(let number, let seen):
                performed.append(.tell(.confirmed(number, seen: seen)))
            case .resigned:
                writer = nil
                resigning = nil
                performed.append(.tell(.resigned))
            case .report(let report): performed.append(.tell(.report(report)))
            }
        }
        return performed
    }

    private mutating func lead(
        _ succession: Leadership.Succession, now: Instant
    ) -> [Action] {
        let log = leadership.log
        // A restore may have set the revisions back.
        compaction = StoreCompaction(now: now)
        var writer = SharedLogWriter(
            keys, leader: succession.leader, head: log.head, batches: log.batches,
            bytesMax: bytesMax)
        writer.guards = guards
        self.writer = writer
        return [.tell(.lead(SharedTerm(succession, log)))]
    }

    private mutating func write(now: Instant) -> [Action] {
        guard let term = leadership.term?.term, let transaction = writer?.next(now: now)
        else { return [] }
        return [.send(.write(of: term), .transaction(transaction))]
    }

    private mutating func wrote(_ outcome: StoreOutcome, now: Instant) -> [Action] {
        guard var writer else { return [] }
        let before = writer.head
        let news = writer.finished(outcome, now: now)
        self.writer = writer
        if case .success(let answer) = outcome {
            if let head = writer.head, head != before {
                leadership.wrote(head, at: answer.revision)
            }
            compaction.wrote(at: answer.revision)
        }
        var actions: [Action] = []
        for one in news {
            actions.append(.tell(.written(one)))
            guard case .deposed(let other) = one else { continue }
            actions += perform(leadership.lose(to: other, now: now), now: now)
        }
        return actions
    }

    /// Ends the term once everything that was ordered is written. A write whose outcome is still
    /// unknown at the end of the wait is fenced like that of any earlier leader.
    private mutating func resignIfDone(now: Instant) -> [Action] {
        guard let due = resigning, writer?.isIdle ?? true || due.by <= now else { return [] }
        resigning?.by = Instant(nanoseconds: .max)
        return perform(leadership.resign(isStopping: due.isStopping, now: now), now: now)
    }
}

/// What a new leader's core begins with.
package struct SharedTerm: Sendable {
    package let leader: LeaderValue
    package let log: SharedLog
    /// Of the log at its head; `nil` if there is no log.
    package let floors: FloorSnapshot?
    /// The operations that the log did.
    package let operations: OperationMemory
    /// What the store has of each state; a state that was never stored is absent.
    package let state: [StateName: [UInt8]]
    /// The latest epoch that a publisher has seen and the log has lost; `nil`: none. The log goes
    /// on in a later one, before anything is answered.
    package let lost: Epoch?

    init(_ succession: Leadership.Succession, _ followed: FollowedLog) {
        leader = succession.leader
        state = succession.state
        floors = followed.floors
        operations = followed.operations
        lost = succession.lost.map(\.mark.position.epoch).max()
        log = SharedLog(
            followed.window,
            inheritedLease: succession.state[.lease].flatMap { GrantedLease($0) }?.longest,
            areFloorsComing: false)
    }
}

/// The value of `state/lease`: the longest lease that was granted.
package struct GrantedLease: Hashable, Sendable {
    package let longest: Duration

    package init(_ longest: Duration) { self.longest = longest }

    package var bytes: [UInt8] {
        var words = SharedWords()
        words.add("milliseconds", UInt64(clamping: longest.wholeMilliseconds))
        return words.bytes
    }

    /// - Returns: `nil` for bytes that no publisher of this release wrote.
    package init?(_ bytes: [UInt8]) {
        guard let words = SharedWords(bytes), let number = words.number("milliseconds"),
            number <= UInt64(UInt32.max)
        else { return nil }
        longest = .milliseconds(Int64(number))
    }
}

/// When the store may forget its old revisions: without that, every overwritten value would fill
/// its space. Only what is older than a spacing is forgotten, so that a read under way ends.
struct StoreCompaction {
    /// The newest revision of the own writes, and the newest at the last look.
    private var newest: UInt64 = 0
    private var earlier: UInt64 = 0
    private var compacted: UInt64 = 0
    private var due: Instant
    private var isUnderWay = false

    init(now: Instant) { due = now.advanced(by: SharedLogLimits.compactionSpacing) }

    mutating func wrote(at revision: UInt64) { newest = max(newest, revision) }

    /// When ``next(now:)`` has something to do; `nil`: not before another write.
    var nextDue: Instant? {
        isUnderWay || newest <= compacted ? nil : due
    }

    /// The revision to compact now; `nil`: none.
    mutating func next(now: Instant) -> UInt64? {
        guard let nextDue, nextDue <= now else { return nil }
        defer { earlier = newest }
        due = now.advanced(by: SharedLogLimits.compactionSpacing)
        guard earlier > compacted else { return nil }
        isUnderWay = true
        compacted = earlier
        return earlier
    }

    /// Whether it was done does not matter: the next one does more.
    mutating func ended() { isUnderWay = false }
}
