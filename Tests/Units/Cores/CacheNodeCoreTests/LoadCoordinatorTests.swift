import CacheAccess
import CacheLoading
import CacheMemory
import CacheModel
import Testing

@testable import CacheNodeCore

/// Readers, counters, leases and comparisons of the loads of one shard.
@Suite struct LoadCoordinatorTests {
    private static let key = LoadKey(namespace: 1, bytes: [1])
    private static let hash = KeyHash(7)

    private static func at(_ milliseconds: Int) -> Instant {
        Instant(nanoseconds: UInt64(60_000 + milliseconds) * 1_000_000)
    }

    private static var coordinator: LoadCoordinator {
        LoadCoordinator(
            leases: LoadLeases(limits: MemoryTierLimits(residentBytesMax: 1 << 20), seed: 1))
    }

    private static func reader(_ request: UInt64, _ urgency: LoadUrgency = .awaited) -> LoadReader {
        LoadReader(request: request, operation: 0, askedAt: .none, urgency: urgency)
    }

    /// Begins a load for these readers, as the shard does.
    private static func begin(
        _ loads: inout LoadCoordinator, _ readers: [LoadReader], urgency: LoadUrgency = .awaited,
        isCounted: Bool = true, mayAskPeer: Bool = false
    ) -> UInt64 {
        let nonce = loads.leases.take(hash, now: at(0), duration: .seconds(1))
        var load = KeyLoad(
            key, LoadToken(position: .none, nonce: nonce), urgency: urgency, readers: readers,
            now: at(0))
        load.mayAskPeer = mayAskPeer
        return loads.begin(load, isCounted: isCounted)
    }

    private static func place(
        _ reader: LoadReader, _ loads: inout LoadCoordinator, suffices: Bool
    ) -> LoadCoordinator.Place {
        loads.place(reader, for: key, of: nil, newestSuffices: suffices)
    }

    // MARK: Readers

    @Test func aReaderSharesTheNewestLoadOnlyIfItSuffices() {
        var loads = Self.coordinator
        #expect(Self.place(Self.reader(1), &loads, suffices: false) == .begins)
        let first = Self.begin(&loads, [Self.reader(1)])
        #expect(
            Self.place(Self.reader(2), &loads, suffices: true)
                == .joined(leavesPeer: nil, hastens: nil))
        #expect(Self.place(Self.reader(3), &loads, suffices: false) == .begins)
        _ = Self.begin(&loads, [Self.reader(3)])
        #expect(Self.place(Self.reader(4), &loads, suffices: false) == .queued)
        #expect(loads.statistics.begun == 2 && loads.statistics.joined == 2)
        let ended = loads.end(first, now: Self.at(1))
        #expect(ended?.0.readers.map(\.request) == [1, 2])
        #expect(loads.end(first, now: Self.at(1)) == nil, "a load ends once")
        #expect(loads.takeQueued(Self.key).map(\.request) == [4])
    }

    @Test func aWaitingReaderHastensALoadInTheBackgroundOnce() {
        var loads = Self.coordinator
        let number = Self.begin(&loads, [], urgency: .refresh)
        #expect(
            Self.place(Self.reader(1, .prefetch), &loads, suffices: true)
                == .joined(leavesPeer: nil, hastens: nil))
        #expect(
            Self.place(Self.reader(2), &loads, suffices: true)
                == .joined(leavesPeer: nil, hastens: number))
        #expect(
            Self.place(Self.reader(3), &loads, suffices: true)
                == .joined(leavesPeer: nil, hastens: nil))
    }

    @Test func aLoadThatAPeerWaitsForAsksNoPeer() {
        var loads = Self.coordinator
        let number = Self.begin(&loads, [Self.reader(1)], mayAskPeer: true)
        var peer = Self.reader(2)
        peer.isForPeer = true
        #expect(
            Self.place(peer, &loads, suffices: true) == .joined(leavesPeer: number, hastens: nil))
        #expect(
            Self.place(peer, &loads, suffices: true) == .joined(leavesPeer: nil, hastens: nil))
    }

    @Test func prefetchesWaitUpToTheirLimit() {
        var loads = Self.coordinator
        let most = ShardLimits.prefetchesWaitingMax
        loads.beginWait(prefetchCount: most)
        #expect(loads.mayPrefetch(0) && !loads.mayPrefetch(1))
        loads.endWait(prefetchCount: 1)
        #expect(loads.mayPrefetch(1) && !loads.mayPrefetch(2))
        #expect(loads.statistics.waits == 1)
    }

    // MARK: Counters

    @Test func aLoadWithoutReadersIsCountedAsARefresh() {
        var loads = Self.coordinator
        for _ in 0..<2 { _ = Self.begin(&loads, [], urgency: .refresh) }
        _ = Self.begin(&loads, [Self.reader(1)])
        #expect(loads.statistics.begun == 3 && loads.statistics.refreshes == 2)
    }

    @Test func aRefreshThatIsNotCountedIsUnderWay() {
        var loads = Self.coordinator
        let number = Self.begin(&loads, [], urgency: .refresh, isCounted: false)
        #expect(loads.statistics == LoadStatistics())
        #expect(loads.newest(of: Self.key)?.number == number)
        #expect(!loads.mayRefresh(Self.key, of: nil))
    }

    @Test func theAverageDurationMovesByAnEighth() {
        var loads = Self.coordinator
        let namespace = NamespaceNumber(Self.key.namespace)
        #expect(loads.duration(in: namespace) == .zero)
        let first = Self.begin(&loads, [Self.reader(1)])
        #expect(loads.end(first, now: Self.at(8))?.averageDuration == .milliseconds(8))
        let second = Self.begin(&loads, [Self.reader(1)])
        #expect(loads.end(second, now: Self.at(16))?.averageDuration == .milliseconds(9))
        #expect(loads.duration(in: namespace) == .milliseconds(9))
    }

    // MARK: Leases and revalidation

    private static func grant(
        _ loads: inout LoadCoordinator, to asker: UInt64, isRevalidation: Bool, at now: Instant
    ) -> LoadLeases.Answer {
        let request = LoadCoordinator.TokenRequest(
            asker: LoadLeases.Holder(asker), isAgain: false, isRevalidation: isRevalidation,
            duration: .milliseconds(100))
        return loads.grant(hash, for: request, now: now)
    }

    @Test func aHeldEntryIsRevalidatedOnceInTheInterval() {
        var loads = Self.coordinator
        guard case .granted = Self.grant(&loads, to: 1, isRevalidation: true, at: Self.at(0)) else {
            Issue.record("the first asker loads")
            return
        }
        #expect(
            Self.grant(&loads, to: 2, isRevalidation: true, at: Self.at(50))
                == .wait(.milliseconds(50)), "its lease is another's")
        #expect(
            Self.grant(&loads, to: 2, isRevalidation: true, at: Self.at(400))
                == .wait(.milliseconds(600)), "the lease has ended, the interval has not")
        guard case .granted = Self.grant(&loads, to: 2, isRevalidation: false, at: Self.at(400))
        else {
            Issue.record("a key without an entry has no pace")
            return
        }
    }

    @Test func aLeaseThatIsTakenBackIsGrantedToTheNextAskerAtOnce() {
        var loads = Self.coordinator
        guard
            case .granted(let nonce) =
                Self.grant(&loads, to: 1, isRevalidation: true, at: Self.at(0))
        else {
            Issue.record("the first asker loads")
            return
        }
        loads.takeBack([(Self.hash, nonce)])
        guard case .granted = Self.grant(&loads, to: 2, isRevalidation: true, at: Self.at(1)) else {
            Issue.record("neither the lease nor the interval is left")
            return
        }
    }

    @Test func aReaderOfAKeyThatIsBeingRevalidatedNeedNoOtherLoadOnceItIsConfirmed() {
        var loads = Self.coordinator
        func needsNone(_ wantsToken: Bool) -> Bool {
            loads.needsNoRevalidation(
                of: Self.hash, Self.key, wantsToken: wantsToken, now: Self.at(1))
        }
        #expect(!needsNone(false), "it is due")
        loads.revalidationBegins(of: Self.hash, now: Self.at(0))
        #expect(needsNone(false) && !needsNone(true))
        _ = Self.begin(&loads, [Self.reader(1)])
        #expect(!needsNone(false), "it shares the load under way")
        loads.keyStored(Self.hash)
        #expect(needsNone(false) && needsNone(true))
        loads.keyInvalidated(Self.hash, voidsLease: true)
        #expect(!needsNone(false), "it is due again")
    }

    @Test func anInvalidationVoidsTheLeaseOfAKeyAndAStoreDoesToo() {
        var loads = Self.coordinator
        let first = loads.leases.take(Self.hash, now: Self.at(0), duration: .seconds(1))
        loads.keyInvalidated(Self.hash, voidsLease: false)
        #expect(loads.leases.holds(Self.hash, nonce: first))
        loads.keyInvalidated(Self.hash, voidsLease: true)
        #expect(!loads.leases.holds(Self.hash, nonce: first))
        let second = loads.leases.take(Self.hash, now: Self.at(0), duration: .seconds(1))
        loads.keyStored(Self.hash)
        #expect(!loads.leases.holds(Self.hash, nonce: second))
    }

    // MARK: Comparisons

    @Test func aComparisonHasANumberThatNoLoadHasAndEndsOnce() throws {
        var loads = Self.coordinator
        let load = Self.begin(&loads, [Self.reader(1)])
        let pending = PendingComparison(
            request: 5, shareholder: nil, key: try #require(CacheKey(bytes: [1])),
            namespace: NamespaceNumber(1),
            shown: PendingComparison.Shown(fill: .none, isUnfenced: false), askedAt: Self.at(0))
        let number = loads.beginComparison(pending)
        #expect(number != load)
        #expect(loads.end(number, now: Self.at(1)) == nil)
        #expect(loads.endComparison(load) == nil)
        #expect(loads.endComparison(number)?.request == 5)
        #expect(loads.endComparison(number) == nil)
    }
}
