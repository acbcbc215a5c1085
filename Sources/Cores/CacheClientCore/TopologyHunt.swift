package import CacheModel

/// Which endpoint to ask for the topology, and when: every known endpoint, in turn, until one
/// answers.
///
///     idle ──wanted──▶ asking ──answered──▶ idle
///                       │  ▲
///            no answer  ▼  │ pause over
///                      resting
///
/// Any publisher or shard can answer, so reads continue while the publisher is down. An answer that
/// is good only without a better one is kept as an offer until the whole round was asked.
///
/// The same rounds find the publisher that leads: one that does not lead names it, and it is asked
/// next. While a question waits for the leader, the rounds follow each other faster.
package struct TopologyHunt: Sendable {
    package enum Action: Hashable, Sendable {
        case ask(endpoint: String)
        /// Nothing to do before `until`, or before a topology is wanted.
        case wait(until: Instant?)
        /// All endpoints were asked without success: accept the offer of one of them.
        case takeOffer
    }

    private enum State {
        /// No newer topology is wanted; the next round begins no earlier than the instant.
        case idle(notBefore: Instant)
        /// A newer topology is wanted, and asking begins at the instant.
        case resting(until: Instant)
        /// A candidate was asked and has until the instant.
        case asking(until: Instant)
    }

    /// A search for the publisher that leads.
    private struct Search: Sendable {
        let began: Instant
        /// When nothing waits for the leader any more.
        var until: Instant
        /// Publishers that give no answer: they are asked last.
        var avoided: Set<String> = []
    }

    /// Endpoints that the client was given: no topology removes them.
    package let seeds: [String]
    /// Endpoints of an earlier time that no topology has named since.
    private var kept: Set<String>
    /// Publishers that a seed has named in NOT LEADER, until a topology is accepted.
    private var vouchedFor: Set<String> = []
    private var isOffered = false
    package private(set) var candidates: [String]
    /// Endpoints of this round that are not asked yet.
    private var upcoming: ArraySlice<String> = []
    /// Endpoints of this round that were asked; the last one is asked now.
    private var asked: [String] = []
    /// Endpoints of this round that NOT LEADER has named.
    private var namedCount = 0
    private var roundBegan = Instant(nanoseconds: 0)
    /// `nil` unless the leader is wanted.
    private var search: Search?
    private var pause = ClientLimits.topologyPause
    private var state = State.idle(notBefore: Instant(nanoseconds: 0))
    /// When the known topology is so old that the client asks for it again.
    private var agesAt = Instant(nanoseconds: 0)

    /// - Parameter kept: endpoints of an earlier time, asked after the seeds until one answers.
    /// - Precondition: there is at least one seed.
    package init(seeds: [String], kept: [String] = []) {
        precondition(!seeds.isEmpty, "there is at least one seed")
        self.seeds = seeds
        candidates = seeds + kept.filter { !seeds.contains($0) }
        self.kept = Set(kept)
    }

    /// How this endpoint came to be known. A publisher that a named one has named counts as named,
    /// as the publisher of its topology does.
    package func source(of endpoint: String) -> ClusterTrust.Source {
        if seeds.contains(endpoint) || vouchedFor.contains(endpoint) { return .named }
        return kept.contains(endpoint) ? .kept : .learned
    }

    /// Whether an answer is being waited for, or a question is due.
    package var isUnderWay: Bool {
        if case .idle = state { false } else { true }
    }

    /// When ``tick(at:)`` has something to do; `nil` while nothing is wanted.
    package var due: Instant? {
        switch state {
        case .idle: nil
        case .resting(let until), .asking(let until): until
        }
    }

    /// A newer topology is wanted: there is none, another version was seen, or a shard is
    /// unreachable.
    package mutating func wanted(at now: Instant) {
        guard case .idle(let notBefore) = state else { return }
        state = .resting(until: max(now, notBefore))
    }

    /// A node answered a request, with the version of the topology that it knows.
    ///
    /// A version other than ours is a reason to ask, and so is the age of ours. A node that was
    /// removed from the topology, because its key was revoked, would not report that. A client that
    /// asks no other node would keep using it.
    package mutating func heard(_ version: UInt32, ours: UInt32?, at now: Instant) {
        if version != ours || now >= agesAt { wanted(at: now) }
    }

    package mutating func tick(at now: Instant) -> Action {
        switch state {
        case .idle: return .wait(until: nil)
        case .resting(let until) where now < until: return .wait(until: until)
        case .resting:
            beginRound(at: now)
            return ask(at: now)
        case .asking(let until) where now < until: return .wait(until: until)
        case .asking where !upcoming.isEmpty: return ask(at: now)
        case .asking:
            let until = endRound(at: now)
            state = .resting(until: until)
            guard isOffered else { return .wait(until: until) }
            isOffered = false
            return .takeOffer
        }
    }

    private mutating func beginRound(at now: Instant) {
        let avoided = search?.avoided ?? []
        upcoming =
            avoided.isEmpty
            ? candidates[...]
            : (candidates.filter { !avoided.contains($0) }
                + candidates.filter(avoided.contains))[...]
        asked = []
        namedCount = 0
        roundBegan = now
        isOffered = false
    }

    /// - Returns: when the next round begins.
    private mutating func endRound(at now: Instant) -> Instant {
        if let search, search.until <= now { self.search = nil }
        guard search == nil else { return max(now, searchDue(at: now)) }
        defer { pause = min(pause * 2, ClientLimits.topologyPauseMax) }
        return now.advanced(by: pause)
    }

    private mutating func ask(at now: Instant) -> Action {
        let patience =
            search == nil ? ClientLimits.topologyAttemptTimeout : ClientLimits.leaderAttemptTimeout
        state = .asking(until: now.advanced(by: patience))
        let endpoint = upcoming.removeFirst()
        asked.append(endpoint)
        return .ask(endpoint: endpoint)
    }

    // MARK: The leading publisher

    /// A question waits for the publisher that leads, until `end`.
    ///
    /// - Parameters:
    ///   - publishers: the known ones; they are asked, too.
    ///   - silent: one that gives no answer; it is asked last.
    package mutating func leaderWanted(
        until end: Instant, publishers: [String], avoiding silent: String? = nil, at now: Instant
    ) {
        var wanted = search ?? Search(began: now, until: end)
        wanted.until = max(wanted.until, end)
        if let silent { wanted.avoided.insert(silent) }
        search = wanted
        candidates = publishers.filter { !candidates.contains($0) } + candidates
        switch state {
        case .idle: state = .resting(until: max(now, searchDue(at: now)))
        case .resting(let until):
            state = .resting(until: min(until, max(now, searchDue(at: now))))
        case .asking: break
        }
    }

    /// The client knows which publisher leads.
    package mutating func leaderFound() { search = nil }

    private func searchDue(at now: Instant) -> Instant {
        guard let search else { return now }
        let isHasty = now.elapsed(since: search.began) < ClientLimits.leaderHasteMax
        return roundBegan.advanced(
            by: isHasty ? ClientLimits.leaderPauseMin : ClientLimits.leaderPauseMax)
    }

    /// A publisher answered that it does not lead. The one that it names is asked next, unless this
    /// round has asked it. One that gives no answer is asked last all the same: a standby names a
    /// dead leader until its term ends.
    package mutating func denied(by endpoint: String, naming other: String?, at now: Instant) {
        guard case .asking = state else { return }
        if let other, source(of: endpoint) == .named,
            vouchedFor.count < ClientLimits.publishersKnownMax
        {
            vouchedFor.insert(other)
        }
        if let other, !asked.contains(other), namedCount < ClientLimits.leadersNamedMax {
            namedCount += 1
            let rest = upcoming.filter { $0 != other }
            let isAvoided = search?.avoided.contains(other) ?? false
            upcoming = (isAvoided ? rest + [other] : [other] + rest)[...]
        }
        if asked.last == endpoint { failed(at: now) }
    }

    /// An endpoint returned the topology. The next candidates are, in this order: the publisher,
    /// which knows best; the endpoint that answered; other known publishers; the seeds; the shards
    /// of the topology. Endpoints of earlier topologies are forgotten: an invented one would stay.
    package mutating func answered(
        by endpoint: String, publisher: String, others: [String] = [], shards: [String],
        at now: Instant
    ) {
        var seen = Set<String>()
        let named = ([publisher, endpoint] + others + seeds + shards).filter {
            !$0.isEmpty && seen.insert($0).inserted
        }
        kept.subtract(shards)
        kept.remove(publisher)
        vouchedFor = []
        isOffered = false
        candidates = Array(
            named.prefix(seeds.count + others.count + ClientLimits.candidatesLearnedMax))
        pause = ClientLimits.topologyPause
        if let search, search.until <= now { self.search = nil }
        state =
            search == nil
            ? .idle(notBefore: now.advanced(by: ClientLimits.topologyPause))
            : .resting(until: max(now, searchDue(at: now)))
        agesAt = now.advanced(by: ClientLimits.topologyAgeMax)
    }

    /// The asked endpoint returned a topology that is good only without a better one.
    package mutating func wasOffered(at now: Instant) {
        isOffered = true
        failed(at: now)
    }

    /// The asked endpoint is unreachable or refused: the next one is due.
    package mutating func failed(at now: Instant) {
        guard case .asking = state else { return }
        state = .asking(until: now)
    }
}
