package import CacheModel

/// Which publisher leads, as far as a client knows. Questions to the publisher go there.
/// docs/protocol.md 8.6.
///
///                    a publisher says that it leads, or a node names it
///     no leader known ──────────────────────────────────────────────▶ L leads
///            ▲                                                          │
///            ├──────────────── NOT LEADER from L, or silence ◀──────────┤
///            │                                                          ▼
///            └────────── NOT LEADER from M … ◀── M leads ◀── L names M ─┘
///
/// ### Old topologies
/// Nodes change to a new leader one after another, and a publisher may answer as the leader for a
/// moment after another one has won. Versions of topologies do not order them, because each leader
/// draws its own. So a publisher that was *left* – it said NOT LEADER, was silent, or another one
/// was found after it – does not become the leader again because a node names it. It does so by its
/// own word, once the client knows no other leader, or because the leader names it.
///
/// With one publisher nothing is ever left, and the leader is the publisher of the topology.
///
/// Sans-I/O: the caller passes the time, and endpoints in their canonical form.
package struct LeaderTracker: Sendable {
    package enum Verdict: Hashable, Sendable {
        case take
        /// It is older than what is known, unless no endpoint returns a newer one.
        case takeAtLast
    }

    private struct Left: Sendable {
        let endpoint: String
        let at: Instant
        /// Whether it gave no answer; otherwise it said NOT LEADER, or was superseded.
        let wasSilent: Bool
    }

    private let seeds: [String]
    /// Seeds that are nodes, or another name of a publisher that leads.
    private var seedsKnown: Set<String> = []
    /// `nil` if none is known.
    package private(set) var leader: String?
    /// Oldest first.
    private var left: [Left] = []
    /// Endpoints that are known to be publishers', oldest first.
    package private(set) var publishers: [String] = []
    /// Whether the topology says that there are others.
    private var isOneOfSeveral = false
    /// Publishers in a row that the one before them named.
    private var namedCount = 0

    package init(seeds: [String]) { self.seeds = seeds }

    /// Whether the leader is to be searched: the one that was known is left.
    package var isSearching: Bool { leader == nil && !left.isEmpty }

    /// Whether another publisher may lead: the topology says so, or one is known. A seed proves
    /// nothing: it may be a node, or another name of the only publisher.
    package var hasOthers: Bool {
        guard leader != nil || !left.isEmpty else { return false }
        return isOneOfSeveral || publishers.contains { $0 != leader }
    }

    private func isLeft(_ endpoint: String) -> Bool { left.contains { $0.endpoint == endpoint } }

    // MARK: Topologies

    /// Decides what to do with a topology that names `publisher`, from `endpoint`.
    package func verdict(on publisher: String, from endpoint: String) -> Verdict {
        guard isLeft(publisher), publisher != leader else { return .take }
        return leader == nil && publisher == endpoint ? .take : .takeAtLast
    }

    /// A topology was accepted.
    ///
    /// - Parameters:
    ///   - publisher: which it names; empty if it names none.
    ///   - shards: the endpoints of its shards.
    /// - Returns: the leader that is known no longer, because another one was found.
    package mutating func took(
        _ publisher: String, from endpoint: String, shards: [String], at now: Instant
    ) -> String? {
        seedsKnown.formUnion(seeds.filter(Set(shards).contains))
        guard !publisher.isEmpty else { return nil }
        if publisher != endpoint, seeds.contains(endpoint) { seedsKnown.insert(endpoint) }
        guard publisher != leader else {
            namedCount = 0
            return nil
        }
        // The word of a node, or of another name of it: the node may not have changed yet.
        guard !isLeft(publisher) || publisher == endpoint else { return nil }
        let former = leader
        if let former { leave(former, wasSilent: false, at: now) }
        lead(publisher)
        namedCount = 0
        return former
    }

    private mutating func lead(_ endpoint: String) {
        left.removeAll { $0.endpoint == endpoint }
        seedsKnown.remove(endpoint)
        leader = endpoint
    }

    /// The topology that was accepted says whether there are other publishers.
    package mutating func told(areSeveral: Bool) { isOneOfSeveral = areSeveral }

    // MARK: Publishers that do not lead

    /// A publisher said NOT LEADER to a request for the topology.
    package mutating func denied(by endpoint: String, naming other: String?, at now: Instant) {
        remember(endpoint)
        if let other, other != endpoint { remember(other) }
        leave(endpoint, wasSilent: false, at: now)
    }

    /// A publisher said NOT LEADER to a question; whether that may have been done is not decided
    /// here. If it names another one, that is the leader now – unless that one was silent, or said
    /// NOT LEADER, a moment ago: two publishers that name each other must not be asked without a
    /// pause.
    package mutating func denied(
        question endpoint: String, naming other: String?, at now: Instant
    ) {
        let isNews = leader == nil || leader == endpoint
        denied(by: endpoint, naming: other, at: now)
        guard isNews, let other, other != endpoint, namedCount < ClientLimits.leadersNamedMax
        else { return }
        if let entry = left.last(where: { $0.endpoint == other }) {
            let elapsed = now.elapsed(since: entry.at)
            guard !entry.wasSilent, elapsed >= ClientLimits.leaderPauseMax else { return }
        }
        namedCount += 1
        lead(other)
    }

    /// A publisher owes an answer, and is silent or cannot be reached.
    package mutating func fellSilent(_ endpoint: String, at now: Instant) {
        leave(endpoint, wasSilent: true, at: now)
    }

    /// The publisher to ask next without a search: the one that was left longest ago, or never. It
    /// counts as the leader from now on.
    ///
    /// - Returns: `nil` if none is known.
    package mutating func next() -> String? {
        let others = seeds.filter { !seedsKnown.contains($0) && !publishers.contains($0) }
        let known = (publishers + others).filter { $0 != leader }
        let untried = known.first { !isLeft($0) }
        guard let next = untried ?? left.map(\.endpoint).first(where: known.contains) else {
            return nil
        }
        lead(next)
        return next
    }

    private mutating func leave(_ endpoint: String, wasSilent: Bool, at now: Instant) {
        remember(endpoint)
        if leader == endpoint { leader = nil }
        left.removeAll { $0.endpoint == endpoint }
        left.append(Left(endpoint: endpoint, at: now, wasSilent: wasSilent))
        if left.count > ClientLimits.publishersKnownMax { left.removeFirst() }
    }

    private mutating func remember(_ endpoint: String) {
        seedsKnown.remove(endpoint)
        guard !publishers.contains(endpoint) else { return }
        publishers.append(endpoint)
        guard publishers.count > ClientLimits.publishersKnownMax else { return }
        if let index = publishers.firstIndex(where: { $0 != leader }) {
            publishers.remove(at: index)
        }
    }
}
