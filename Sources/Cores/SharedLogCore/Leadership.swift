import ByteCoding
package import CacheModel

/// One publisher's part in leading a shared log: follows it, campaigns while there is no leader,
/// and keeps its term alive.
///
///     following ─ no leader ─▶ campaigning ─ won ─▶ catchingUp ─▶ leading ─ lost ─▶ following
///         ▲                        │ another won                     │
///         └────────────────────────┘◀──────────── resigning ◀────────┘
///
/// The lease of a term in the store saves work and proves nothing: the store's leader may confirm
/// it while another publisher leads already. Proof of leadership is a read of `leader` that began
/// after the request that needs it, see ``confirm(_:now:)``; and every write compares the term.
///
/// Pure: it sends what ``tick(now:)`` returns, and is told every outcome. One request of a purpose
/// is under way at a time.
package struct Leadership {
    /// What a request is for.
    package enum Purpose: Hashable, Sendable, CaseIterable {
        case poll
        case grantLease
        case campaign
        case readState
        case keepAlive
        case confirm
        case reportFurthest
        case resign
        case revoke
    }

    package enum Action: Equatable {
        case send(Purpose, StoreRequest)
        /// The term has begun: its core starts now.
        case lead(Succession)
        /// The term is over: its core ends.
        case end(EndCause)
        /// This publisher led at a moment after the confirmation of this number was wanted.
        ///
        /// - Parameter seen: how far other publishers have seen the log, where they found that the
        ///   store was set back. A new epoch is due, before the confirmation is used, if one is not
        ///   of this log.
        case confirmed(UInt64, seen: [FurthestMark])
        /// This publisher does not lead any more, by its own will.
        case resigned
        /// For people.
        case report(Report)
    }

    package enum EndCause: Hashable, Sendable {
        /// Another publisher leads, or none is known.
        case superseded(by: LeaderValue?)
        case resigned
    }

    package enum Report: Hashable, Sendable {
        case leaderChanged(LeaderValue?)
        case unreachable(String)
        case reachable
        case damaged(FollowedLog.Damage)
        /// How far the log was seen cannot be stored on the own disk, for this reason.
        case markNotKept(String)
    }

    /// What a new leader begins with.
    package struct Succession: Equatable {
        package let leader: LeaderValue
        /// What the store has of each state; a state that was never stored is absent.
        package let state: [StateName: [UInt8]]
        /// What this or another publisher has seen of the log and the store has lost. A new epoch,
        /// later than all of theirs, is due before anything is answered.
        package let lost: [FurthestMark]
        /// When it was known that the term had begun.
        package let wonAt: Instant
    }

    enum Phase {
        /// - Parameters:
        ///   - notBefore: the campaign is left to others until then.
        ///   - unlessWarm: or until the log is known.
        case following(notBefore: Instant, unlessWarm: Bool)
        /// - Parameter lease: with the time when it was asked for; `nil`: it is being asked for.
        case campaigning(LeaderValue, lease: (StoreLease, askedAt: Instant)?)
        case catchingUp(Term, state: [StateName: [UInt8]]?)
        case leading(Term)
        case resigning(Term)
        case stopped
    }

    struct Term {
        let leader: LeaderValue
        let lease: StoreLease
        let wonAt: Instant
        /// When the last keep-alive that succeeded was sent.
        var provenAt: Instant
        var keepAliveDue: Instant
    }

    struct UnderWay {
        let sentAt: Instant
        /// The own term, or the one of the campaign, when it was sent.
        let term: TermID?
        /// The number of the confirmation that it answers.
        let confirms: UInt64
    }

    let keys: SharedKeys
    let own: Endpoints
    private let seed: UInt64
    private var campaignCount: UInt64 = 0
    var phase: Phase
    package internal(set) var log: FollowedLog
    /// The leader that was read last; `nil`: none, or unknown.
    package internal(set) var leader: LeaderValue?
    package internal(set) var furthest: FurthestMark
    /// Whether the store was set back, and no new epoch says so yet.
    var isSetBack = false
    /// What other publishers had seen when the term began.
    var seen: [FurthestMark] = []
    /// The own mark as it was written for others; `nil`: none was.
    var reported: FurthestMark?
    /// Reads of a new leader that brought nothing.
    var idleReadCount = 0
    var underWay: [Purpose: UnderWay] = [:]
    var pollDue: Instant
    var retryDue: Instant
    var failureCount = 0
    private var confirmWanted: UInt64 = 0
    private(set) var confirmed: UInt64 = 0
    /// Whether the process ends after the term.
    private var isStopping = false
    /// The checks of the protocol; test builds can disable some.
    package var guards = Guards.all

    /// The name of a publisher, and where nodes and clients reach it.
    package struct Endpoints: Hashable, Sendable {
        package let publisher: String
        package let control: String
        package let live: String

        package init(publisher: String, control: String, live: String) {
            self.publisher = publisher
            self.control = control
            self.live = live
        }
    }

    /// - Parameters:
    ///   - seed: drawn at random for each process: the numbers of its terms come from it.
    ///   - furthest: what an earlier run of this publisher has seen of the log.
    package init(
        _ keys: SharedKeys, as own: Endpoints, log: FollowedLog,
        _ remembered: (furthest: FurthestMark, seed: UInt64), now: Instant
    ) {
        self.keys = keys
        self.own = own
        self.log = log
        furthest = remembered.furthest
        seed = remembered.seed
        phase = .following(
            notBefore: now.advanced(by: SharedLogLimits.coldPause), unlessWarm: true)
        pollDue = now
        retryDue = now
    }

    // MARK: Asking

    /// Whether this publisher leads, for people. `false` also for a leader with a lease that may be
    /// over by its own clock: it answers only what a confirmation proves, see ``confirm(_:now:)``.
    package func leads(at now: Instant) -> Bool {
        guard case .leading(let term) = phase else { return false }
        return now
            < term.provenAt.advanced(by: SharedLogLimits.leaderLease - SharedLogLimits.leaseMargin)
    }

    /// Whether the last request had no answer, or was refused.
    package var isInTrouble: Bool { failureCount > 0 }

    /// The own term; `nil` for a standby.
    package var term: LeaderValue? {
        switch phase {
        case .catchingUp(let term, _), .leading(let term), .resigning(let term): term.leader
        case .following, .campaigning, .stopped: nil
        }
    }

    /// The own term, or the one of the campaign.
    var latestTerm: TermID? {
        if case .campaigning(let leader, _) = phase { leader.term } else { term?.term }
    }

    // MARK: Time

    /// What is due now. Call it after every event, and no later than ``nextDue``.
    package mutating func tick(now: Instant) -> [Action] {
        switch phase {
        case .following: poll(now: now)
        case .campaigning(let leader, let lease):
            poll(now: now) + campaign(as: leader, lease?.0, now: now)
        case .catchingUp(let term, let state):
            catchUp(term, state, now: now) + keepAlive(term, now: now)
        case .leading(let term): keepAlive(term, now: now) + sendConfirm(now: now)
        case .resigning, .stopped: []
        }
    }

    /// When ``tick(now:)`` has something to do without another event; `nil`: never.
    package var nextDue: Instant? {
        var due: [Instant] = []
        switch phase {
        case .following: due = [.poll].filter(isFree).map { _ in pollDue }
        case .campaigning(_, let lease):
            due = [.poll].filter(isFree).map { _ in pollDue }
            if lease != nil, isFree(.campaign) { due.append(retryDue) }
        case .catchingUp(let term, let state):
            due.append(term.keepAliveDue)
            if state == nil, isFree(.readState) { due.append(retryDue) }
            if state != nil, isFree(.poll) { due.append(max(retryDue, pollDue)) }
        case .leading(let term):
            due.append(term.keepAliveDue)
            if confirmWanted > confirmed, isFree(.confirm) { due.append(retryDue) }
        case .resigning, .stopped: break
        }
        return due.min()
    }

    private func isFree(_ purpose: Purpose) -> Bool { underWay[purpose] == nil }

    /// Sends the request, unless one of its purpose is under way.
    mutating func send(
        _ purpose: Purpose, _ request: StoreRequest, now: Instant
    ) -> [Action] {
        guard isFree(purpose) else { return [] }
        underWay[purpose] = UnderWay(sentAt: now, term: latestTerm, confirms: confirmWanted)
        return [.send(purpose, request)]
    }

    private mutating func poll(now: Instant) -> [Action] {
        guard pollDue <= now else { return [] }
        return send(.poll, .transaction(log.read(isCautious: failureCount > 0)), now: now)
    }

    private mutating func keepAlive(_ term: Term, now: Instant) -> [Action] {
        guard term.keepAliveDue <= now else { return [] }
        update { $0.keepAliveDue = now.advanced(by: SharedLogLimits.keepAliveSpacing) }
        return send(.keepAlive, .keepAlive(term.lease), now: now)
    }

    mutating func update(_ change: (inout Term) -> Void) {
        switch phase {
        case .catchingUp(var term, let state):
            change(&term)
            phase = .catchingUp(term, state: state)
        case .leading(var term):
            change(&term)
            phase = .leading(term)
        case .following, .campaigning, .resigning, .stopped: break
        }
    }

    // MARK: Campaign

    /// There is no leader: asks for a lease, with which the term begins.
    mutating func beginCampaign(now: Instant) -> [Action] {
        campaignCount += 1
        let term = TermID(StableHash.mix(seed &+ campaignCount))
        let value = LeaderValue(
            term: term, publisher: own.publisher, control: own.control, live: own.live)
        phase = .campaigning(value, lease: nil)
        return send(.grantLease, .grantLease(SharedLogLimits.leaderLease), now: now)
    }

    /// Repeated, identical, until its outcome is known.
    private mutating func campaign(
        as leader: LeaderValue, _ lease: StoreLease?, now: Instant
    ) -> [Action] {
        guard let lease, retryDue <= now else { return [] }
        let transaction = StoreTransaction(
            conditions: guards.isOn(.campaignFence) ? [.isAbsent(keys.leader)] : [],
            changes: [.put(keys.leader, leader.bytes, lease: lease)],
            reads: [.init(.key(keys.leader))])
        return send(.campaign, .transaction(transaction), now: now)
    }

    /// Reads the state, then the rest of the log: nothing changes them any more but this term.
    private mutating func catchUp(
        _ term: Term, _ state: [StateName: [UInt8]]?, now: Instant
    ) -> [Action] {
        guard retryDue <= now else { return [] }
        guard let state else {
            let read = StoreTransaction(
                reads: [
                    .init(.key(keys.leader)), .init(keys.everyState), .init(keys.everyFurthest),
                ])
            return send(.readState, .transaction(read), now: now)
        }
        guard log.isCaughtUp(since: term.wonAt) || !guards.isOn(.caughtUp) else {
            // Records that cannot be read will not come: another publisher may have them.
            guard idleReadCount < SharedLogLimits.idleReadsMax else {
                return resign(isStopping: isStopping, now: now)
            }
            return poll(now: now)
        }
        phase = .leading(term)
        (confirmWanted, confirmed) = (0, 0)
        let known = (isSetBack ? [furthest] : []) + seen.filter { $0.isLost(by: log) }
        let lost = guards.isOn(.restoredLog) ? known : []
        return [
            .lead(
                Succession(leader: term.leader, state: state, lost: lost, wonAt: term.wonAt))
        ]
    }

    // MARK: Confirming

    /// Something that needs proof of the leadership arrived before now.
    ///
    /// - Parameter number: of the confirmation that it waits for, each greater than the one before
    ///   it. A term begins with 1.
    package mutating func confirm(_ number: UInt64, now: Instant) -> [Action] {
        confirmWanted = max(confirmWanted, number)
        return sendConfirm(now: now)
    }

    mutating func confirmed(_ number: UInt64) { confirmed = max(confirmed, number) }

    private mutating func sendConfirm(now: Instant) -> [Action] {
        guard confirmWanted > confirmed, retryDue <= now else { return [] }
        let read = StoreTransaction(
            reads: [.init(.key(keys.leader)), .init(keys.everyFurthest)])
        return send(.confirm, .transaction(read), now: now)
    }

    // MARK: Resigning

    /// Gives the leadership up. The core has ended, and everything that it wrote has an outcome.
    ///
    /// - Parameter isStopping: whether the process ends; otherwise it leaves the next campaign to
    ///   others for a while.
    package mutating func resign(isStopping: Bool, now: Instant) -> [Action] {
        self.isStopping = isStopping
        switch phase {
        case .leading(let term), .catchingUp(let term, _):
            phase = .resigning(term)
            let removal = StoreTransaction(
                conditions: [.isEqual(keys.leader, term.leader.bytes)],
                changes: [.remove(.key(keys.leader))])
            return send(.resign, .transaction(removal), now: now)
        case .campaigning(_, let lease):
            phase = isStopping ? .stopped : following(after: SharedLogLimits.coldPause, now: now)
            return (lease.map { send(.revoke, .revoke($0.0), now: now) } ?? []) + [.resigned]
        case .following:
            if isStopping { phase = .stopped }
            return [.resigned]
        case .stopped: return [.resigned]
        case .resigning: return []
        }
    }

    private func following(after pause: Duration, now: Instant) -> Phase {
        .following(notBefore: now.advanced(by: pause), unlessWarm: false)
    }

    mutating func resigned(_ term: Term, now: Instant) -> [Action] {
        phase = isStopping ? .stopped : following(after: SharedLogLimits.coldPause, now: now)
        pollDue = now
        return send(.revoke, .revoke(term.lease), now: now) + [.resigned]
    }
}
