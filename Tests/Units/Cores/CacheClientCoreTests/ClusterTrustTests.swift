import CacheClientCore
import CacheModel
import Testing

/// Whose word on a topology a client takes: docs/decisions/0089.
@Suite struct ClusterTrustTests {
    private let ours = ClusterID(0xA)
    private let theirs = ClusterID(0xB)

    /// A client that was told of `ours` by an endpoint that was named.
    private var member: ClusterTrust {
        var trust = ClusterTrust()
        trust.took(ours, from: .named)
        return trust
    }

    @Test func theFirstWordOfANamedEndpointIsTakenAndConfirmed() {
        var trust = ClusterTrust(kept: ours)
        #expect(trust.verdict(on: theirs, from: .named) == .take)
        trust.took(theirs, from: .named)
        #expect(trust.isConfirmed && trust.cluster == theirs)
    }

    @Test func aNamedEndpointMayChangeTheClusterAsALastResort() {
        var trust = member
        #expect(trust.verdict(on: theirs, from: .named) == .takeAtLast)
        #expect(trust.verdict(on: ours, from: .named) == .take)
        trust.took(theirs, from: .named)
        #expect(trust.isConfirmed && trust.cluster == theirs)
        #expect(trust.verdict(on: ours, from: .learned) == .passOver)
    }

    @Test(arguments: [ClusterTrust.Source.learned, .kept])
    func anUnnamedEndpointNeverChangesTheCluster(source: ClusterTrust.Source) {
        #expect(member.verdict(on: theirs, from: source) == .passOver)
        #expect(member.verdict(on: ours, from: source) == .take)
    }

    /// Stop cluster A, start B on the ports of A's nodes, and name A.
    @Test func aKeptEndpointWhereAnotherClusterListensNowIsPassedOver() {
        let trust = ClusterTrust(kept: ours)
        #expect(trust.verdict(on: theirs, from: .kept) == .passOver)
        #expect(!trust.isConfirmed)
    }

    @Test func aKeptEndpointOfTheSameClusterConfirmsIt() {
        var trust = ClusterTrust(kept: ours)
        #expect(trust.verdict(on: ours, from: .kept) == .take)
        trust.took(ours, from: .kept)
        #expect(trust.isConfirmed && trust.cluster == ours)
        trust.took(ours, from: .learned)
        #expect(trust.isConfirmed)
    }

    /// One side is of the release before: reads go on, nothing is changed.
    @Test func aKeptEndpointIsNotConfirmedWithoutBothIdentities() {
        for (kept, told) in [(ours, ClusterID.none), (.none, theirs), (.none, .none)] {
            var trust = ClusterTrust(kept: kept)
            #expect(trust.verdict(on: told, from: .kept) == .take)
            trust.took(told, from: .kept)
            #expect(!trust.isConfirmed && trust.cluster == .none)
            // What it names is no better than it is.
            trust.took(told, from: .learned)
            #expect(!trust.isConfirmed)
            // An endpoint that was named may say anything then, and settles it.
            #expect(trust.verdict(on: ours, from: .named) == .take)
            trust.took(ours, from: .named)
            #expect(trust.isConfirmed && trust.cluster == ours)
        }
    }

    /// A node of the release before is kept, and names endpoints where another cluster is now.
    @Test func whatAKeptEndpointNamedIsHeldAgainstTheKeptCluster() {
        var trust = ClusterTrust(kept: ours)
        trust.took(.none, from: .kept)
        #expect(trust.verdict(on: theirs, from: .learned) == .passOver)
        #expect(trust.verdict(on: ours, from: .learned) == .take)
        // The user's word counts for more than what was kept.
        trust.took(theirs, from: .named)
        #expect(trust.verdict(on: theirs, from: .learned) == .take)
        #expect(trust.verdict(on: ours, from: .learned) == .passOver)
        // And also that of one that knows no identity.
        trust = ClusterTrust(kept: ours)
        trust.took(.none, from: .named)
        #expect(trust.verdict(on: theirs, from: .learned) == .take)
    }

    @Test func aNamedEndpointConfirmsAClusterWithoutAnIdentity() {
        var trust = ClusterTrust()
        trust.took(.none, from: .named)
        #expect(trust.isConfirmed && trust.cluster == .none)
        #expect(trust.verdict(on: .none, from: .learned) == .take)
        // Its publisher was replaced by one that tells.
        #expect(trust.verdict(on: ours, from: .learned) == .take)
        trust.took(ours, from: .learned)
        #expect(trust.cluster == ours)
        // And rolled back: nothing is checked, and whose it was is not forgotten.
        #expect(trust.verdict(on: .none, from: .named) == .take)
        trust.took(.none, from: .named)
        #expect(trust.cluster == ours && trust.isConfirmed)
    }
}
