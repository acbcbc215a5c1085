import CacheAccess
import CacheLoading
import CacheMemory
import CacheMetrics
import CacheModel

/// The loads of one shard: the leases to load a key, the readers of each load, the comparisons with
/// origins, and the pace of revalidation.
///
///     reader ─▶ place ─▶ joined, queued, full ── else ─▶ begin ─▶ end: once, with its readers
///     asker of a token ─▶ grant ─▶ a lease, or how long to wait
///     a key was invalidated, stored, confirmed ─▶ its lease, and its turn to be revalidated
///
/// It knows no entry and no request: whether the newest load of a key suffices for a reader is
/// decided by its owner, which also passes results to the readers.
package struct LoadCoordinator {
    var leases: LoadLeases
    package private(set) var statistics = LoadStatistics()
    /// Durations of loads that have ended.
    private(set) var times = DurationHistogram(.long)
    private var table = LoadTable(loadsMax: ShardLimits.loadsMax)
    /// Comparisons that are under way, by the number of the request to the origin.
    private var comparisons: [UInt64: PendingComparison] = [:]
    /// Keys that were revalidated without a lease.
    private var pace = RevalidationPace()
    /// Operations waiting for loads for which no reader may wait.
    private var prefetchesWaiting = 0
    /// Average duration of loads, by namespace number.
    private var durations: [UInt16: Duration] = [:]

    init(leases: LoadLeases) {
        self.leases = leases
    }

    // MARK: Readers

    /// The result of placing a reader.
    enum Place: Equatable {
        /// It shares a load. That load must no longer wait for a peer, or is more urgent now, if it
        /// is named by its number.
        case joined(leavesPeer: UInt64?, hastens: UInt64?)
        /// A new load begins when one of the key's loads has ended.
        case queued
        /// The caller must begin a load.
        case begins
        /// The maximum number of loads is reached.
        case full
    }

    /// Adds a reader to the newest load of its key, or lets it wait for another.
    ///
    /// - Parameters:
    ///   - asker: the asker whose share a new load uses; `nil`: no share.
    ///   - newestSuffices: whether the reader may share ``newest(of:)``, if there is one.
    mutating func place(
        _ reader: LoadReader, for key: LoadKey, of asker: UInt32?, newestSuffices: Bool
    ) -> Place {
        let newest = table.newest(of: key)
        switch table.place(reader, for: key, of: asker, newestWillDo: newestSuffices) {
        case .joined:
            statistics.joined += 1
            let isUrgent = reader.urgency == .awaited
            return .joined(
                leavesPeer: reader.isForPeer ? table.keepFromPeers(key) : nil,
                hastens: newest.flatMap { isUrgent && $0.urgency > .awaited ? $0.number : nil })
        case .queued:
            statistics.joined += 1
            return .queued
        case .begins: return .begins
        case .full: return .full
        }
    }

    /// The load of a key that began last, if one is under way.
    func newest(of key: LoadKey) -> KeyLoad? { table.newest(of: key) }

    /// Whether a load in the background may begin for an asker: none of the key is under way.
    func mayRefresh(_ key: LoadKey, of asker: UInt32?) -> Bool {
        table.mayRefresh(key, of: asker)
    }

    /// Whether this many more prefetches may wait.
    func mayPrefetch(_ count: Int) -> Bool {
        count == 0 || prefetchesWaiting + count <= ShardLimits.prefetchesWaitingMax
    }

    /// A request waits for its loads, of which so many are prefetches.
    mutating func beginWait(prefetchCount: Int) {
        prefetchesWaiting += prefetchCount
        statistics.waits += 1
    }

    /// It waits no longer.
    mutating func endWait(prefetchCount: Int) { prefetchesWaiting -= prefetchCount }

    // MARK: Loads

    /// Begins a load that has the lease of its key; without readers it is a refresh.
    ///
    /// - Returns: its number.
    mutating func begin(_ load: KeyLoad, isCounted: Bool = true) -> UInt64 {
        if isCounted {
            statistics.begun += 1
            if load.readers.isEmpty { statistics.refreshes += 1 }
        }
        return table.begin(load)
    }

    /// A load has ended.
    ///
    /// - Returns: the load, and the moving average of durations in its namespace; `nil` if none of
    ///   that number is under way.
    mutating func end(_ number: UInt64, now: Instant) -> (KeyLoad, averageDuration: Duration)? {
        guard let load = table.end(number) else { return nil }
        let took = now.elapsed(since: load.begunAt)
        times.note(took)
        let known = durations[load.key.namespace] ?? took
        let average = known + (took - known) / 8
        durations[load.key.namespace] = average
        return (load, average)
    }

    /// The load that has ended did not succeed.
    mutating func failed(_ load: KeyLoad, _ hash: KeyHash) {
        statistics.failed += 1
        leases.end(hash, nonce: load.nonce)
    }

    /// An invalidation overtook the load that has ended.
    mutating func overtaken() { statistics.overtaken += 1 }

    /// Removes and returns the readers that wait for the next load of a key, which can begin now.
    mutating func takeQueued(_ key: LoadKey) -> [LoadReader] { table.takeQueued(key) }

    /// Moving average of the durations of loads in a namespace; zero before the first has ended.
    func duration(in namespace: NamespaceNumber) -> Duration {
        durations[namespace.rawValue] ?? .zero
    }

    // MARK: Comparisons

    /// Whether one more comparison may begin: half of them are always reserved for others.
    func mayCompare(_ shareholder: PrincipalNumber?) -> Bool {
        guard comparisons.count < ShardLimits.comparisonsMax, let shareholder else {
            return comparisons.count < ShardLimits.comparisonsMax
        }
        let own = comparisons.values.count { $0.shareholder == shareholder }
        return own < ShardLimits.comparisonsMax / 2
    }

    /// - Returns: the number of its request to the origin, which no load has.
    mutating func beginComparison(_ comparison: PendingComparison) -> UInt64 {
        let number = table.takeNumber()
        comparisons[number] = comparison
        return number
    }

    /// - Returns: `nil` if none of that number is under way.
    mutating func endComparison(_ number: UInt64) -> PendingComparison? {
        comparisons.removeValue(forKey: number)
    }

    // MARK: Leases and revalidation

    /// A request for the right to load a key.
    struct TokenRequest {
        var asker: LoadLeases.Holder
        /// Whether it asked before and was not answered.
        var isAgain: Bool
        /// The entry exists: it is loaded at most once in the interval.
        var isRevalidation: Bool
        /// Of the lease.
        var duration: Duration
    }

    /// Grants the lease of a key, unless another asker has it or it is not the key's turn.
    mutating func grant(
        _ hash: KeyHash, for request: TokenRequest, now: Instant
    ) -> LoadLeases.Answer {
        if request.isRevalidation, leases.timeLeft(of: hash, now: now) <= .zero {
            let left = pace.timeLeft(of: hash, now: now)
            if left > .zero { return .wait(left) }
        }
        let answer = leases.grant(
            hash, to: request.asker, isAgain: request.isAgain, now: now,
            duration: request.duration)
        if case .granted = answer, request.isRevalidation { pace.ask(hash, now: now) }
        return answer
    }

    /// Withdraws leases whose askers do not learn of them.
    mutating func takeBack(_ grants: [(hash: KeyHash, nonce: UInt64)]) {
        for grant in grants {
            leases.end(grant.hash, nonce: grant.nonce)
            pace.forget(grant.hash)
        }
    }

    /// A load revalidates the key.
    mutating func revalidationBegins(of hash: KeyHash, now: Instant) { pace.ask(hash, now: now) }

    /// Whether the held entry of a key was revalidated, or is being revalidated, so that a reader
    /// need not load it. An asker that loads itself does not share a load of the node.
    func needsNoRevalidation(
        of hash: KeyHash, _ key: @autoclosure () -> LoadKey, wantsToken: Bool, now: Instant
    ) -> Bool {
        switch pace.word(on: hash, now: now) {
        case .due: false
        case .confirmed: true
        case .asked: !wantsToken && newest(of: key()) == nil
        }
    }

    /// - Parameter voidsLease: whether a load under way is no longer wanted.
    @inline(__always)
    mutating func keyInvalidated(_ hash: KeyHash, voidsLease: Bool) {
        if voidsLease { leases.void(hash) }
        // An entry spared by its version may be revalidated again.
        pace.forget(hash)
    }

    @inline(__always)
    mutating func keyStored(_ hash: KeyHash) {
        leases.void(hash)
        pace.confirm(hash)
    }

    /// The origin has confirmed the held entry.
    @inline(__always)
    mutating func keyConfirmed(_ hash: KeyHash) { pace.confirm(hash) }

    /// The node vouches for its entries again.
    mutating func leaseRegained() {
        if pace.count > 0 { pace = RevalidationPace() }
    }
}

/// Counters of the loads of one shard since it started.
package struct LoadStatistics: Equatable, Sendable {
    /// Origin loads begun, those of them in the background, those that failed, and those that an
    /// invalidation overtook.
    package var begun: UInt64 = 0
    package var refreshes: UInt64 = 0
    package var failed: UInt64 = 0
    package var overtaken: UInt64 = 0
    /// Messages that waited for loads, and readers that shared one.
    package var waits: UInt64 = 0
    package var joined: UInt64 = 0
}

/// A comparison that waits for its origin's answer.
struct PendingComparison {
    /// The node's value of the key when the origin was asked.
    struct Shown: Equatable {
        /// `nil`: there is no value.
        var value: ValueImprint?
        var fill: FillStamp
        var isUnfenced: Bool
    }

    /// The waiting request.
    var request: UInt64
    /// The principal whose share of the comparisons it uses; `nil`: no share.
    var shareholder: PrincipalNumber?
    var key: CacheKey
    var namespace: NamespaceNumber
    var shown: Shown
    var askedAt: Instant
}
