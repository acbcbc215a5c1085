import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import PublisherCore

/// Which cluster a publisher belongs to: docs/decisions/0089.
@Suite struct ClusterIdentityTests {
    private let one: NodeID
    private let two: NodeID
    private let three: NodeID
    private let fresh = ClusterID(0xF)
    private let ours = ClusterID(0xA)
    private let theirs = ClusterID(0xB)

    init() throws {
        one = try #require(NodeID("n1"))
        two = try #require(NodeID("n2"))
        three = try #require(NodeID("n3"))
    }

    @Test func whatWasKeptNeedsNoDecision() {
        var identity = ClusterIdentity(kept: KeptCluster(ours, in: Epoch(3)), fresh: fresh)
        #expect(identity.id == ours && !identity.isOpen)
        identity.heard(theirs, from: one)
        #expect(identity.decide() == false && identity.id == ours)
    }

    @Test func anIdentityIsDrawnIfNoNodeReportsOne() {
        var identity = ClusterIdentity(fresh: fresh)
        #expect(identity.isOpen && identity.id == .none)
        identity.heard(.none, from: one)
        #expect(identity.decide() && identity.id == fresh && identity.isDrawn)
        #expect(identity.decide() == false)
    }

    @Test func aPublisherThatLostItsDirectoryTakesUpWhatItsNodesTell() {
        var identity = ClusterIdentity(fresh: fresh)
        identity.heard(ours, from: one)
        identity.heard(.none, from: two)
        #expect(identity.decide() && identity.id == ours && !identity.isDrawn)
    }

    @Test func theMajorityClusterWinsAndTiesGoToTheGreaterID() {
        var identity = ClusterIdentity(fresh: fresh)
        identity.heard(theirs, from: one)
        identity.heard(ours, from: two)
        identity.heard(ours, from: three)
        var tie = ClusterIdentity(fresh: fresh)
        tie.heard(theirs, from: one)
        tie.heard(ours, from: two)
        #expect(identity.decide() && identity.id == ours)
        #expect(tie.decide() && tie.id == theirs)
    }

    @Test func aNodeThatIsNotConfiguredAnyMoreHasNoVote() {
        var identity = ClusterIdentity(fresh: fresh)
        identity.heard(theirs, from: one)
        identity.heard(theirs, from: two)
        identity.heard(ours, from: three)
        let isDecided = identity.decide { $0 == three }
        #expect(isDecided && identity.id == ours)
    }

    @Test func aNodeCountsOnceHoweverOftenItSpeaks() {
        var identity = ClusterIdentity(fresh: fresh)
        for _ in 0..<5 { identity.heard(theirs, from: one) }
        identity.heard(ours, from: two)
        identity.heard(ours, from: three)
        #expect(identity.decide() && identity.id == ours)
    }

    @Test func onlyPlacesOfTheClustersOwnNodesCount() {
        var identity = ClusterIdentity(fresh: fresh)
        identity.heard(theirs, from: one)
        identity.heard(.at(900), of: LogID(2), from: one)
        identity.heard(ours, from: two)
        identity.heard(.at(10), of: LogID(1), from: two)
        identity.heard(ours, from: three)
        _ = identity.decide()
        #expect(identity.furthestPlace == .init(log: LogID(1), mark: .at(10)))
    }

    /// Nodes of the release before tell none.
    @Test func aNodeThatKnowsNoClusterCountsAsOneOfThem() {
        var identity = ClusterIdentity(fresh: fresh)
        identity.heard(.at(900), of: LogID(2), from: one)
        identity.heard(ours, from: two)
        identity.heard(.at(10), of: LogID(1), from: two)
        _ = identity.decide()
        #expect(identity.furthestPlace == .init(log: LogID(2), mark: .at(900)))
    }

    @Test(arguments: [false, true])
    func theFurthestPlaceStaysWhenItsNodeStartsAnew(isAlone: Bool) {
        var identity = ClusterIdentity(fresh: fresh)
        identity.heard(ours, from: one)
        identity.heard(.at(100), of: LogID(1), from: one)
        identity.heard(.none, from: one)
        if !isAlone {
            identity.heard(ours, from: two)
            identity.heard(.at(90), of: LogID(1), from: two)
        }
        #expect(identity.decide() && identity.id == ours)
        #expect(identity.furthestPlace == .init(log: LogID(1), mark: .at(100)))
    }

    /// So there are no more places than nodes.
    @Test func aNodeThatReportsAnotherClusterReplacesItsEarlierPosition() {
        var identity = ClusterIdentity(fresh: fresh)
        for number in 1...100 as ClosedRange<UInt64> {
            identity.heard(ClusterID(number), from: one)
            identity.heard(.at(number), of: LogID(number), from: one)
        }
        #expect(identity.furthest.count == 1)
        #expect(identity.decide() && identity.id == ClusterID(100))
        #expect(identity.furthestPlace == .init(log: LogID(100), mark: .at(100)))
    }

    @Test func aDrawnIdentityYieldsToThatOfANodeThatIsFurther() {
        var identity = ClusterIdentity(fresh: fresh)
        _ = identity.decide()
        identity.heard(ours, from: one)
        let isAnother = identity.follow(one)
        #expect(isAnother && identity.id == ours && !identity.isDrawn)
        identity.heard(theirs, from: two)
        #expect(!identity.mayFollow(two))
        #expect(identity.mayFollow(three))
    }

    @Test func whatIsKeptIsKeptOnceAndAnewInEachEpoch() {
        var identity = ClusterIdentity(fresh: fresh)
        #expect(identity.unkept(in: Epoch(1)) == nil)
        _ = identity.decide()
        for epoch in [1, 4] as [UInt32] {
            let cluster = KeptCluster(fresh, in: Epoch(epoch))
            #expect(identity.unkept(in: Epoch(epoch)) == cluster)
            identity.keep(cluster)
            identity.keepingEnded(retryAt: nil)
            #expect(identity.kept == cluster && identity.unkept(in: Epoch(epoch)) == nil)
        }
        #expect(identity.unkept(in: Epoch(3)) == nil)
    }

    @Test func theFileIsReadBackAndAnyOtherByteIsDamage() {
        let kept = KeptCluster(ours, in: Epoch(7))
        let file = kept.bytes
        #expect(file.count == 24 && KeptCluster(reading: file) == kept)
        #expect(KeptCluster(reading: []) == nil && KeptCluster(reading: file + [0]) == nil)
        for place in file.indices {
            #expect(KeptCluster(reading: Array(file[..<place])) == nil)
            var damaged = file
            damaged[place] ^= 1
            #expect(KeptCluster(reading: damaged) == nil, "byte \(place)")
        }
        #expect(String(decoding: file.prefix(8), as: UTF8.self) == "MARTCLU1")
    }

    /// Behind the last epochs none could be opened.
    @Test func anEpochThatIsNeverBelievedIsDamage() {
        let reported = InvalidationLimits.epochReportedMax
        let greatest = InvalidationLimits.epochKeptMax
        // Of a log that a node's word has moved behind the greatest there may be.
        for epoch in [reported, reported.next, greatest] {
            let kept = KeptCluster(ours, in: epoch)
            #expect(KeptCluster(reading: kept.bytes) == kept)
        }
        for epoch in [greatest.next, Epoch(.max - 1), Epoch(.max)] {
            #expect(KeptCluster(reading: KeptCluster(ours, in: epoch).bytes) == nil)
        }
    }
}
