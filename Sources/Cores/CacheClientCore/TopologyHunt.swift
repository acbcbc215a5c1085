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

    /// Endpoints that the client was given: no topology removes them.
    private let seeds: [String]
    /// Endpoints of an earlier time that no topology has named since.
    private var kept: Set<String>
    private var isOffered = false
    package private(set) var candidates: [String]
    private var cursor = 0
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

    /// An endpoint returned the topology. The next candidates are, in this order: the publisher,
    /// which knows best; the endpoint that answered; the seeds; the shards of the topology.
    /// Endpoints of earlier topologies are forgotten: an invented one would stay.
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
