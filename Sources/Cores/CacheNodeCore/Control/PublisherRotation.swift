import CacheModel

/// The endpoints of one publisher, as texts: the core compares them and opens none.
package struct PublisherAddress: Hashable, Sendable {
    package let control: String
    /// `nil`: only its WELCOME names it.
    package let live: String?

    package init(control: String, live: String? = nil) {
        self.control = control
        self.live = live
    }
}

/// The publishers that a node knows, which of them it addresses, and when it may greet another.
///
///     present ── NOT LEADER with a name ──────────────────────▶ the named one
///     present ── farewell, silence, NOT LEADER without a name ─▶ the next of the list
///     present ── WELCOME ─▶ it leads
///
/// A name may be wrong: the named publisher is gone, or names the sender in turn. So at most
/// ``NodeControlLimits/leaderNamesFollowedMax`` are followed in a row, and then the list continues
/// where it was: each listed publisher is asked in turn, whatever the others answer.
///
/// A publisher that is alone is never changed. It does not answer NOT LEADER; if it does, it has
/// others beside it, and the node finds them by that answer.
struct PublisherRotation: Sendable {
    /// Why the present publisher is left.
    enum Cause: Equatable, Sendable {
        /// It does not lead, and names the control endpoint of the leader; empty: it knows none.
        case notLeading(leader: String)
        /// It has just given its leadership up.
        case farewell
        /// Nothing was received from it for so long.
        case silent(for: Duration)
        /// It did not answer HELLO.
        case unanswered
        /// No connection to its endpoint can be made.
        case unusable(reason: String)
    }

    private let listed: [String]
    /// The control endpoint that is addressed.
    private(set) var present: String
    /// Whether the rules for several publishers hold.
    private(set) var areSeveral: Bool
    /// The last one that was taken from the list.
    private var index = 0
    /// Since one was taken from the list.
    private var namesFollowed = 0
    /// Taken from the list since a WELCOME.
    private var stepCount = 0
    /// Silent ones in a row; `nil`: none has reported that it does not lead since a WELCOME.
    private var silentCount: Int?
    private var pauses: Backoff
    /// From when on one more HELLO is within the rate.
    private var admitsAt = Instant(nanoseconds: 0)
    private var leader: String?
    private var reported: Set<String> = []

    init(_ publishers: [PublisherAddress], seed: UInt64) {
        listed = publishers.isEmpty ? [""] : publishers.map(\.control)
        present = listed[0]
        areSeveral = publishers.count > 1 || publishers.first.map { $0.live == nil } ?? false
        pauses = Backoff(
            first: NodeControlLimits.leaderlessPause, longest: NodeControlLimits.leaderlessPause,
            seed: seed)
    }

    /// Whether publishers answer, but none of them leads as far as known: one reported that it does
    /// not lead since the last WELCOME, and not every listed one has been silent since.
    var isLeaderless: Bool { silentCount.map { $0 <= listed.count } ?? false }

    /// How long a HELLO may be unanswered. Each round of the list doubles it, so that publishers
    /// that answer slowly are joined too.
    var patience: Duration {
        let rounds = min(stepCount / listed.count, 8)
        return min(NodeControlLimits.helloWaitMin * (1 << rounds), NodeControlLimits.helloWaitMax)
    }

    /// How long a publish may be unanswered. The client that waits for it does not wait longer than
    /// its own deadline, which its shard keeps. It becomes longer, never shorter.
    var publishTimeout: Duration {
        areSeveral
            ? NodeControlLimits.publishTimeoutOfSeveral : NodeControlLimits.publishTimeout
    }

    /// Turns to another publisher.
    ///
    /// - Returns: when to send it the first HELLO.
    mutating func leave(_ cause: Cause, now: Instant) -> Instant {
        areSeveral = true
        count(cause)
        if case .notLeading(let name) = cause, canFollow(name) {
            namesFollowed += 1
            present = name
            return admit(at: now)
        }
        takeNext()
        switch cause {
        case .farewell, .silent, .unanswered: return admit(at: now)
        // Perhaps no publisher leads now.
        case .notLeading, .unusable: return admit(at: now.advanced(by: pauses.next()))
        }
    }

    private mutating func count(_ cause: Cause) {
        switch cause {
        case .notLeading, .farewell: silentCount = 0
        case .silent, .unanswered, .unusable:
            silentCount = silentCount.map { min($0 + 1, listed.count + 1) }
        }
    }

    private func canFollow(_ name: String) -> Bool {
        !name.isEmpty && name != present
            && namesFollowed < NodeControlLimits.leaderNamesFollowedMax
    }

    /// The next of the list, but not the present one again if there is another.
    private mutating func takeNext() {
        namesFollowed = 0
        stepCount = min(stepCount + 1, 1 << 16)
        for _ in listed {
            index = (index + 1) % listed.count
            if listed[index] != present { break }
        }
        present = listed[index]
    }

    /// The first moment from `wanted` on at which one more HELLO is within the rate: a few at once,
    /// and then one for each ``NodeControlLimits/helloSpacing``.
    mutating func admit(at wanted: Instant) -> Instant {
        let due = max(wanted, admitsAt)
        let burst = NodeControlLimits.helloSpacing * (NodeControlLimits.hellosAtOnceMax - 1)
        admitsAt = max(admitsAt, due.reversed(by: burst))
            .advanced(by: NodeControlLimits.helloSpacing)
        return due
    }

    /// The present publisher has welcomed this run: it leads.
    ///
    /// - Returns: whether it did not lead before, as far as was reported.
    mutating func welcomed() -> Bool {
        index = listed.firstIndex(of: present) ?? index
        (namesFollowed, stepCount, silentCount) = (0, 0, nil)
        reported.removeAll()
        defer { leader = present }
        return leader != present
    }

    /// What to report of a cause to leave the present publisher; `nil`: nothing. That it does not
    /// lead, or cannot be connected to, is reported once until a WELCOME, and only of a bounded
    /// number of names.
    mutating func report(_ cause: Cause) -> NodeControlReport? {
        switch cause {
        case .silent(let duration): return .lostPublisher(silence: duration)
        case .unanswered: return nil
        case .notLeading(let name):
            let leader = name == present ? "" : name
            return isNews() ? .publisherDoesNotLead(endpoint: present, leader: leader) : nil
        case .farewell:
            return isNews() ? .publisherDoesNotLead(endpoint: present, leader: "") : nil
        case .unusable(let reason):
            return isNews() ? .publisherUnusable(endpoint: present, reason: reason) : nil
        }
    }

    private mutating func isNews() -> Bool {
        if leader == present { leader = nil }
        guard reported.count < NodeControlLimits.publishersReportedMax else { return false }
        return reported.insert(present).inserted
    }
}
