import CacheInvalidation
import CacheModel

/// Where the log continues after its records are lost, and what a node's report shows of it.
/// docs/decisions/0004 gives the reasons.
///
///     no records ──every node heard──▶ start ──▶ continueHistory
///     a report of a mark ─────────────▶ judge ──▶ ofTheLog, another, follow, newEpoch
///
/// It changes no log: its owner carries out what it returns.
struct LogHistory {
    /// Where a log without a history begins.
    struct Start: Equatable {
        let log: LogID
        let mark: LogMark
        /// Whether the mark is a node's: another node may be further.
        var isContinued = false
        /// Whether the log replaces a lost one.
        var isLost = false
    }

    /// A node's report of its mark.
    struct Report {
        let node: NodeID
        let mark: LogMark
        /// The log of the mark, as the node says.
        let log: LogID
    }

    /// What a report shows.
    enum Verdict: Equatable {
        /// The mark is the log's.
        case ofTheLog
        /// The mark is not the log's, and the node is served from here.
        case another
        /// The log lost records, but cannot move now. Until it moves the node gets no lease, as if
        /// it had not reported.
        case contradiction
        /// The log lost records: it continues at the node's mark.
        case follow
        /// The log lost records: it continues in this epoch, greater than every reported one.
        case newEpoch(Epoch)
    }

    /// The id of the log if it has to begin anew.
    private let freshID: LogID
    /// Whether the log is in memory and had no history when this publisher began.
    private let isBorrowed: Bool
    /// An epoch that nodes may know and the log has lost.
    private var lostEpoch = Epoch.none
    /// Whether the log began anew behind one of which nothing is left: how long the leases were
    /// that its publishers granted is unknown.
    private(set) var areLeasesUnknown = false
    /// Limits the epochs that may be opened because of a node's report.
    private var epochs = EpochBudget()
    /// The identity of the cluster, and the marks of a lost log that its nodes report.
    var identity = ClusterIdentity()

    /// - Parameter freshID: drawn at random.
    init(of log: some InvalidationLog, freshID: LogID) {
        self.freshID = freshID
        isBorrowed = !log.hasHistory && !log.outlivesItsProcess
    }

    // MARK: A log without a history

    /// An earlier log had this epoch, and nothing of it is left.
    mutating func lost(_ epoch: Epoch) { lostEpoch = max(lostEpoch, epoch) }

    /// The log begins anew behind a lost one.
    mutating func beginsBehindLost() { areLeasesUnknown = true }

    /// Records a mark where the log may continue.
    mutating func remember(_ report: Report, guards: Guards) {
        guard report.log != .none, report.mark.position.epoch != .none,
            guards.isOn(.continuedHistory)
        else { return }
        identity.heard(report.mark, of: report.log, from: report.node)
    }

    /// Where the log continues, once every registered node has reported or had the time to do so.
    /// A log in memory continues at the mark of the most advanced node. A log that lost its records
    /// on disk begins anew in a later epoch, and so does a log that no node knows.
    func start(isDurable: Bool) -> Start {
        let kept = max(identity.kept?.epoch ?? .none, lostEpoch)
        guard let told = identity.furthestPlace else {
            return beginning(in: kept.next, isLost: lostEpoch != .none)
        }
        if isDurable {
            // The records on disk are lost, and no node has all of them. The log begins anew as
            // another log: some node may know an epoch of the lost one that no report has named.
            return beginning(in: max(told.mark.position.epoch, kept).next, isLost: true)
        }
        return Start(log: told.log, mark: told.mark, isContinued: true)
    }

    private func beginning(in epoch: Epoch, isLost: Bool = false) -> Start {
        let position = LogPosition(epoch: epoch, sequence: .none)
        return Start(
            log: freshID, mark: LogMark(position: position, digest: LogDigest(startOf: freshID)),
            isLost: isLost)
    }

    // MARK: Reports

    /// Compares a registered node's mark with the log. A node that is ahead of it, or has a
    /// different digest, proves that the log lost records. Following it, like a new epoch, hides
    /// everything on every other node, so both are bounded in number.
    ///
    /// - Parameter isUnwritten: whether this publisher has appended nothing, so that no node has
    ///   built on its log.
    mutating func judge(
        _ report: Report, in log: some InvalidationLog, isUnwritten: Bool, guards: Guards,
        now: Instant
    ) -> Verdict {
        let standing = log.standing(of: report.mark)
        switch standing {
        case .ofTheLog: return .ofTheLog
        case .unlike where !guards.isOn(.markDigest): return .ofTheLog
        case .beforeTail, .olderEpoch: return .another
        case .unlike
        where report.log != log.id && report.log != .none
            && report.mark.position < log.head.position:
            // Another log that is behind this one: TRUNCATED moves its node forward, and no other
            // node has built on it.
            return .another
        case .ahead, .unlike: break
        }
        let follows =
            standing == .ahead && isBorrowed && isUnwritten && report.log != .none
            && identity.mayFollow(report.node)
        let greatest = max(log.head.position.epoch, report.mark.position.epoch)
        guard follows || greatest.rawValue < .max && guards.isOn(.newEpoch),
            epochs.take(now: now)
        else { return .contradiction }
        return follows ? .follow : .newEpoch(greatest.next)
    }

    // MARK: Storing the identity

    /// The identity to store, with the epoch of the log; `nil` if it is stored. An epoch that is
    /// not yet durable may never become so.
    func unstored(in log: some InvalidationLog) -> KeptCluster? {
        guard log.outlivesItsProcess, log.isStanding else { return nil }
        return identity.unkept(in: log.head.position.epoch)
    }

    /// When the identity has to be stored; `nil` if it is stored or being stored.
    func storingDue(in log: some InvalidationLog, turnEndedAt: Instant) -> Instant? {
        guard identity.keeping == nil, unstored(in: log) != nil else { return nil }
        return max(identity.keepsNotBefore ?? turnEndedAt, turnEndedAt)
    }

    /// The identity to store now, if it is due.
    mutating func takeUnstored(
        in log: some InvalidationLog, now: Instant, turnEndedAt: Instant
    ) -> KeptCluster? {
        guard let due = storingDue(in: log, turnEndedAt: turnEndedAt), due <= now,
            let cluster = unstored(in: log)
        else { return nil }
        identity.keep(cluster)
        return cluster
    }
}

/// How many epochs nodes' reports may open: a burst, then one per ``PublisherLimits/epochSpacing``.
///
/// Each new epoch hides all entries on every node, and a shard can distinguish 65 535 epochs before
/// it must be restarted. A node that keeps claiming to be ahead must not use them up for all
/// others. A log that lost records needs one epoch, and one more if a node that knows a greater
/// epoch reports late.
struct EpochBudget {
    /// When the budget is full again.
    private var fullAt = Instant(nanoseconds: 0)

    /// Takes one epoch out of the budget; `false` if the budget is empty.
    mutating func take(now: Instant) -> Bool {
        let spacing = PublisherLimits.epochSpacing
        let emptyAt = now.advanced(by: spacing * (PublisherLimits.epochsAtOnceMax - 1))
        guard fullAt <= emptyAt else { return false }
        fullAt = max(fullAt, now).advanced(by: spacing)
        return true
    }
}
