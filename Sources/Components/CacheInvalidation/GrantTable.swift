package import CacheModel

/// The publisher's view of its nodes: which run of which node may call its entries fresh, and for
/// how long.
///
/// - A grant belongs to a run. A new run of a node never overwrites the grant of an old one: a
///   process that was paused wakes up with its lease.
/// - After the publisher's start every node that was not heard of counts as leased, for as long as
///   an earlier publisher may have granted it a lease: every registered one, whether it
///   stays registered or not. Where it is known which runs that publisher granted
///   (``inherit(_:of:)``), a node counts until the run that held the grant is heard. Other runs
///   of the node do not change that.
/// - A run that sends BYE gives its grant back at once.
///
/// Bounded: a node's runs without a grant are dropped, except its newest, and a node may have
/// ``InvalidationLimits/runsPerNodeMax`` with one. That newest one leaves by ``drop(_:now:)`` and
/// ``dropSilent(for:now:)``.
package struct GrantTable {
    /// The state of one run.
    package struct Entry: Hashable, Sendable {
        package let run: NodeRun
        /// Its last reported mark, of this log or not, and the log that it named.
        package var reported: LogMark
        package var log: LogID
        /// The last position of this log that it is known to have applied.
        package var applied: LogPosition?
        /// When it reported which positions as applied.
        package var appliedTimes = AppliedMarks()
        package var state: NodeState
        /// When the publisher stops counting its lease; `nil` if it has none.
        package var grantEnds: Instant?
        /// When it was last heard, or its last grant ended, whichever came later.
        package var lastSignOfLife: Instant
        var answeredHeads = AnsweredHeads()
    }

    /// Which run of a node an earlier publisher may have granted.
    package enum Heir: Hashable, Sendable {
        /// It is not known: the first run that introduces itself is taken for it.
        case unknown
        /// This one alone.
        case run(Incarnation)
        /// Several.
        case some
    }

    /// Why a run is not taken in.
    package enum Refusal: Error, Hashable, Sendable {
        case notRegistered
        /// Another node has this incarnation.
        case incarnationTaken
        /// Too many runs of this node still hold a grant.
        case tooManyRuns
    }

    var entries: [Incarnation: Entry] = [:]
    var newest: [NodeID: Incarnation] = [:]
    /// When a registered node was granted a lease last.
    var lastGrants: [NodeID: Instant] = [:]
    /// Registered nodes that said goodbye while another node had a lease, and were not heard since.
    package internal(set) var departed: Set<NodeID> = []
    /// Registered nodes that have not introduced themselves.
    var unheard: Set<NodeID>
    /// Nodes of which a run that is not heard of may hold a grant of an earlier publisher.
    var heirs: [NodeID: Heir]
    /// The longest lease that an earlier publisher may have granted.
    private let inheritedLease: Duration
    /// Whether a run has introduced itself that may hold such a lease.
    var isHeirHeard = false
    /// The leases that were granted here and may still be held, and until when: the shorter, the
    /// later.
    var longestGranted: [(lease: Duration, end: Instant)] = []
    /// When the grants of an earlier publisher are over.
    package let inheritedGrantsEnd: Instant
    /// Until when every node has greeted that goes by the lease of now: a log without a history
    /// waits no longer for those that may know one.
    package let greetingsEnd: Instant
    var areInheritedGrantsOver = false
    package internal(set) var nodes: [NodeID]
    var registered: Set<NodeID>
    var duplicates = DuplicateRuns()
    let guards: Guards

    /// - Parameters:
    ///   - lease: that is granted now.
    ///   - inherited: the longest that an earlier publisher may have granted.
    package init(
        nodes: [NodeID], lease: Duration, inherited: InheritedLease = .known(.zero),
        start: Instant, guards: Guards = .all
    ) {
        self.guards = guards
        self.nodes = nodes
        registered = Set(nodes)
        unheard = registered
        heirs = Dictionary(uniqueKeysWithValues: registered.map { ($0, .unknown) })
        let longest = guards.isOn(.inheritedLease) ? max(lease, inherited.longest) : lease
        inheritedLease = longest
        inheritedGrantsEnd = start.advanced(by: InvalidationLimits.grant(for: longest))
        greetingsEnd = start.advanced(
            by: InvalidationLimits.grant(for: max(lease, inherited.known)))
    }

    // MARK: Asking

    package func isRegistered(_ node: NodeID) -> Bool { registered.contains(node) }

    /// Whether every node that was registered at the publisher's start has introduced itself since,
    /// whatever the configuration names by now.
    package var isEveryNodeHeard: Bool { unheard.isEmpty }

    /// The run of that incarnation, if it introduced itself and its node is still registered.
    package func run(of incarnation: Incarnation) -> NodeRun? {
        guard let run = entries[incarnation]?.run, isRegistered(run.node) else { return nil }
        return run
    }

    /// The run of that incarnation, if it introduced itself, also of a node that was taken out of
    /// the configuration since. Its acknowledgements and its end count as long as waits need them.
    package func knownRun(of incarnation: Incarnation) -> NodeRun? { entries[incarnation]?.run }

    /// Nodes of which two processes run, sorted.
    package func duplicateNodes(at now: Instant) -> [NodeID] { duplicates.nodes(at: now) }

    package func entry(of run: NodeRun) -> Entry? { entries[run.incarnation] }

    /// Every run that is known, in no order.
    package var everyEntry: [Entry] { Array(entries.values) }

    /// What is known of the newest run of a node; `nil` if it was never heard of.
    package func newestEntry(of node: NodeID) -> Entry? {
        newest[node].flatMap { entries[$0] }
    }

    package func hasGrant(_ run: NodeRun, at now: Instant) -> Bool {
        if run.incarnation == .none {
            return heirs[run.node] != nil && now < inheritedGrantsEnd
        }
        return entries[run.incarnation]?.grantEnds.map { now < $0 } ?? false
    }

    /// When a run of the node was granted a lease last, by this publisher; `nil`: none was.
    package func lastGrant(of node: NodeID) -> Instant? { lastGrants[node] }

    /// Whether a run of the node may hold a lease, heard of or not.
    ///
    /// - Complexity: O(runs).
    package func mayHoldGrant(_ node: NodeID, at now: Instant) -> Bool {
        hasGrant(.unheard(node), at: now)
            || entries.values.contains { $0.run.node == node && hasGrant($0.run, at: now) }
    }

    /// When the last grant of the other runs of the same node ends, of those that introduced
    /// themselves; `nil`: none has one.
    ///
    /// - Complexity: O(runs).
    package func grantEnd(ofOthersThan run: NodeRun, at now: Instant) -> Instant? {
        let others = entries.values.lazy.filter {
            $0.run.node == run.node && $0.run != run && hasGrant($0.run, at: now)
        }
        return others.compactMap(\.grantEnds).max()
    }

    /// Whether another run of the same node may hold a lease, heard of or not.
    ///
    /// - Complexity: O(runs).
    package func mayAnotherHold(than run: NodeRun, at now: Instant) -> Bool {
        hasGrant(.unheard(run.node), at: now) || hasGrant(.unheard(.unnamed), at: now)
            || grantEnd(ofOthersThan: run, at: now) != nil
    }

    /// Whether two runs of one node may hold a lease, heard of or not.
    ///
    /// - Complexity: O(runs).
    package func mayTwoHold(at now: Instant) -> Bool {
        var holders = now < inheritedGrantsEnd ? Set(heirs.keys) : []
        // It may be a run of any node.
        let isAnyHeld = holders.contains(.unnamed)
        return entries.values.contains {
            hasGrant($0.run, at: now) && (isAnyHeld || !holders.insert($0.run.node).inserted)
        }
    }

    /// Every run that may still hold a lease. A wait for all holders waits for these runs.
    ///
    /// - Complexity: O(runs).
    package func holders(at now: Instant) -> [NodeRun] {
        guard guards.isOn(.waitSet) else { return [] }
        var holders = entries.values.map(\.run).filter { hasGrant($0, at: now) }
        if now < inheritedGrantsEnd, guards.isOn(.unknownGrants) {
            holders += heirs.keys.map(NodeRun.unheard)
        }
        return holders
    }

    /// The runs that hold a grant of this publisher, by their nodes.
    ///
    /// - Complexity: O(runs).
    package func grantedRuns(at now: Instant) -> [NodeID: [NodeRun]] {
        Dictionary(
            grouping: entries.values.lazy.map(\.run).filter { hasGrant($0, at: now) }, by: \.node)
    }

    /// The longest lease that a run may still hold; `nil` if none can.
    package func longestLease(at now: Instant) -> Duration? {
        let isInherited = now < inheritedGrantsEnd && (isHeirHeard || !heirs.isEmpty)
        let granted = longestGranted.lazy.filter { now < $0.end }.map(\.lease).max()
        return [isInherited ? inheritedLease : nil, granted].compactMap { $0 }.max()
    }

    /// When the next grant runs out.
    package var nextEnd: Instant? {
        let inherited = heirs.isEmpty || areInheritedGrantsOver ? nil : inheritedGrantsEnd
        return (entries.values.map(\.grantEnds) + [inherited]).compactMap { $0 }.min()
    }
}

/// The longest lease that publishers before this one may have granted.
package enum InheritedLease {
    /// What the log says of it.
    case known(Duration)
    /// Unknown, and no longer than nodes accept.
    case unknown(atMost: Duration)

    var longest: Duration {
        switch self {
        case .known(let lease), .unknown(let lease): lease
        }
    }

    /// Zero if it is unknown.
    var known: Duration {
        if case .known(let lease) = self { lease } else { .zero }
    }
}

/// Nodes of which two runs are heard side by side: two processes were started under one id, or one
/// that was paused goes on beside its successor. Both answer requests, each from its own memory.
///
/// A message of the earlier run may still be on its way; so it has to be heard for
/// ``InvalidationLimits/duplicateAfter`` before it counts.
struct DuplicateRuns {
    private struct Sighting {
        var since: Instant
        var last: Instant
    }

    private var sightings: [NodeID: Sighting] = [:]

    /// A run was heard that is not the newest of its node, while the newest was heard lately.
    mutating func heardEarlierRun(of node: NodeID, now: Instant) {
        guard let known = sightings[node], !Self.isOver(known, at: now) else {
            sightings[node] = Sighting(since: now, last: now)
            return
        }
        sightings[node]?.last = now
    }

    /// Sorted.
    func nodes(at now: Instant) -> [NodeID] {
        sightings.filter { _, sighting in
            !Self.isOver(sighting, at: now)
                && sighting.last.elapsed(since: sighting.since) >= InvalidationLimits.duplicateAfter
        }.keys.sorted()
    }

    mutating func dropOver(at now: Instant) {
        sightings = sightings.filter { !Self.isOver($1, at: now) }
    }

    private static func isOver(_ sighting: Sighting, at now: Instant) -> Bool {
        now.elapsed(since: sighting.last) >= InvalidationLimits.duplicateWindow
    }
}
