package import CacheModel

/// Whom to ask for the topology, and when: every endpoint known, in turn, until one answers.
///
///     idle ──wanted──▶ asking ──answered──▶ idle
///                       │  ▲
///               nobody  ▼  │ pause over
///                      resting
///
/// Any publisher or shard can answer, so reads go on while the publisher is down. An answer that
/// is good only if there is no better one is kept as an offer until all of the round were asked.
package struct TopologyHunt: Sendable {
    package enum Action: Hashable, Sendable {
        /// Ask this endpoint now.
        case ask(endpoint: String)
        /// Nothing to do before `until`, or before something is wanted.
        case wait(until: Instant?)
        /// All were asked in vain: what one of them offered is taken.
        case takeOffer
    }

    private enum State {
        /// Nobody wants a newer topology; not asked again before the instant.
        case idle(notBefore: Instant)
        /// Somebody does, and asking begins at the instant.
        case resting(until: Instant)
        /// A candidate was asked and has until the instant.
        case asking(until: Instant)
    }

    /// Those that the client was given: nothing that anybody says takes them away.
    private let seeds: [String]
    /// Those of an earlier time that no topology has named since.
    private var kept: Set<String>
    private var isOffered = false
    /// Endpoints to ask, in order.
    package private(set) var candidates: [String]
    private var cursor = 0
    private var pause = ClientLimits.topologyPause
    private var state = State.idle(notBefore: Instant(nanoseconds: 0))
    /// When what was told last is so old that it is asked for once more.
    private var agesAt = Instant(nanoseconds: 0)

    /// - Parameter kept: endpoints of an earlier time, asked after the seeds until anybody answers.
    /// - Precondition: there is at least one seed.
    package init(seeds: [String], kept: [String] = []) {
        precondition(!seeds.isEmpty, "somebody must be known to be asked")
        self.seeds = seeds
        candidates = seeds + kept.filter { !seeds.contains($0) }
        self.kept = Set(kept)
    }

    /// How this endpoint came to be known.
    package func source(of endpoint: String) -> ClusterTrust.Source {
        if seeds.contains(endpoint) { return .named }
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

    /// A newer topology is wanted: there is none, another version was heard of, or a shard
    /// cannot be reached.
    package mutating func wanted(at now: Instant) {
        guard case .idle(let notBefore) = state else { return }
        state = .resting(until: max(now, notBefore))
    }

    /// A node answered something, and says which version it knows.
    ///
    /// Another one than ours is a reason to ask, and so is time: a node whose place was taken from
    /// the topology, because its key was, would not tell, and who asks nobody else goes on with it.
    package mutating func heard(_ version: UInt32, ours: UInt32?, at now: Instant) {
        if version != ours || now >= agesAt { wanted(at: now) }
    }

    /// The next thing to do at `now`.
    package mutating func tick(at now: Instant) -> Action {
        switch state {
        case .idle: return .wait(until: nil)
        case .resting(let until) where now < until: return .wait(until: until)
        case .resting:
            cursor = 0
            isOffered = false
            return ask(at: now)
        case .asking(let until) where now < until: return .wait(until: until)
        case .asking:
            cursor += 1
            if cursor < candidates.count { return ask(at: now) }
            let until = now.advanced(by: pause)
            pause = min(pause * 2, ClientLimits.topologyPauseMax)
            state = .resting(until: until)
            guard isOffered else { return .wait(until: until) }
            isOffered = false
            return .takeOffer
        }
    }

    private mutating func ask(at now: Instant) -> Action {
        state = .asking(until: now.advanced(by: ClientLimits.topologyAttemptTimeout))
        return .ask(endpoint: candidates[cursor])
    }

    /// An endpoint told the topology, and with it whom to ask the next time: the publisher, who
    /// knows best, then the one that answered, then those that the client was given, then what the
    /// topology names. What earlier ones named is forgotten: one that was made up would stay.
    package mutating func answered(
        by endpoint: String, publisher: String, shards: [String], at now: Instant
    ) {
        var seen = Set<String>()
        let named = ([publisher, endpoint] + seeds + shards).filter {
            !$0.isEmpty && seen.insert($0).inserted
        }
        kept.subtract(shards)
        kept.remove(publisher)
        isOffered = false
        candidates = Array(named.prefix(seeds.count + ClientLimits.candidatesLearnedMax))
        pause = ClientLimits.topologyPause
        state = .idle(notBefore: now.advanced(by: ClientLimits.topologyPause))
        agesAt = now.advanced(by: ClientLimits.topologyAgeMax)
    }

    /// The endpoint that is being asked told what is good only if there is nothing better.
    package mutating func wasOffered(at now: Instant) {
        isOffered = true
        failed(at: now)
    }

    /// The endpoint that is being asked cannot be, or refused: the next one is due.
    package mutating func failed(at now: Instant) {
        guard case .asking = state else { return }
        state = .asking(until: now)
    }
}
