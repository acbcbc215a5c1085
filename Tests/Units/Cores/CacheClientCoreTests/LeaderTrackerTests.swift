import CacheClientCore
import CacheModel
import Testing

@Suite struct LeaderTrackerTests {
    private func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: 0).advanced(by: .milliseconds(milliseconds))
    }

    /// A client of publishers a, b and c, and node n, that was told by a that it leads.
    private func tracker(_ seeds: [String] = ["a", "b", "c", "n"]) -> LeaderTracker {
        var tracker = LeaderTracker(seeds: seeds)
        _ = tracker.took("a", from: "a", shards: ["n", "m"], at: at(0))
        return tracker
    }

    @Test func aTopologyTellsThatThereAreOthers() {
        var tracker = LeaderTracker(seeds: ["n"])
        _ = tracker.took("a", from: "n", shards: ["n"], at: at(0))
        #expect(!tracker.hasOthers)
        tracker.told(areSeveral: true)
        #expect(tracker.hasOthers)
    }

    @Test func thePublisherOfTheFirstTopologyLeads() {
        let tracker = tracker()
        #expect(tracker.leader == "a" && !tracker.isSearching)
        #expect(tracker.verdict(on: "a", from: "n") == .take)
    }

    @Test func nodesAndOtherNamesOfTheLeaderAreNoOtherPublishers() {
        #expect(!LeaderTracker(seeds: ["a", "b"]).hasOthers, "nothing is known yet")
        var several = tracker()
        #expect(!several.hasOthers, "b and c may be nodes, or other names of a")
        several.told(areSeveral: true)
        #expect(several.hasOthers)
        several.told(areSeveral: false)
        #expect(!several.hasOthers)
        var one = LeaderTracker(seeds: ["alias", "n"])
        #expect(one.took("a", from: "alias", shards: ["n"], at: at(0)) == nil)
        #expect(!one.hasOthers)
        #expect(one.took("", from: "n", shards: ["n"], at: at(1)) == nil)
        #expect(one.leader == "a", "a node that names no publisher says nothing")
        one.denied(by: "b", naming: "a", at: at(2))
        #expect(one.hasOthers && one.leader == "a")
    }

    @Test func theOneThatALeaderNamesLeadsFromThenOn() {
        var tracker = tracker()
        tracker.denied(question: "a", naming: "x", at: at(1))
        #expect(tracker.leader == "x" && tracker.publishers == ["a", "x"])
        // A late answer of the former leader changes nothing.
        tracker.denied(question: "a", naming: "b", at: at(2))
        #expect(tracker.leader == "x")
    }

    @Test func withoutANameOrWithItsOwnTheLeaderIsSearched() {
        for name in [nil, "a"] {
            var tracker = tracker()
            tracker.denied(question: "a", naming: name, at: at(1))
            #expect(tracker.leader == nil && tracker.isSearching && tracker.hasOthers)
        }
    }

    @Test func twoThatNameEachOtherAreNotAskedInTurnWithoutAPause() {
        var tracker = tracker()
        tracker.denied(question: "a", naming: "b", at: at(0))
        tracker.denied(question: "b", naming: "a", at: at(1))
        #expect(tracker.leader == nil)
        let later = Int64(ClientLimits.leaderPauseMax.wholeMilliseconds)
        tracker.denied(question: "b", naming: "a", at: at(later))
        #expect(tracker.leader == "a", "by then it may lead")
    }

    @Test func aChainOfNamesHasAnEnd() {
        var tracker = tracker()
        var asked = "a"
        var count = 0
        while count < 100 {
            let name = "x\(count)"
            tracker.denied(question: asked, naming: name, at: at(Int64(count)))
            guard tracker.leader == name else { break }
            asked = name
            count += 1
        }
        #expect(count == ClientLimits.leadersNamedMax)
        #expect(tracker.publishers.count <= ClientLimits.publishersKnownMax)
        // One that says that it leads begins anew.
        _ = tracker.took("b", from: "b", shards: [], at: at(500))
        tracker.denied(question: "b", naming: "c", at: at(501))
        #expect(tracker.leader == "c")
    }

    /// Standbys name a dead leader until its term ends.
    @Test func aSilentLeaderLeadsAgainOnlyByItsOwnWord() {
        var tracker = tracker()
        tracker.fellSilent("a", at: at(0))
        #expect(tracker.isSearching)
        tracker.denied(question: "b", naming: "a", at: at(1_000))
        #expect(tracker.leader == nil)
        #expect(tracker.verdict(on: "a", from: "n") == .takeAtLast)
        #expect(tracker.took("a", from: "n", shards: ["n"], at: at(1_100)) == nil)
        #expect(tracker.leader == nil, "the node has not changed yet")
        #expect(tracker.verdict(on: "a", from: "a") == .take)
        _ = tracker.took("a", from: "a", shards: ["n"], at: at(1_200))
        #expect(tracker.leader == "a" && !tracker.isSearching)
    }

    @Test func anotherPublisherOfATopologySupersedesTheLeader() {
        var tracker = tracker()
        #expect(tracker.verdict(on: "b", from: "n") == .take)
        #expect(tracker.took("b", from: "n", shards: ["n"], at: at(1)) == "a")
        #expect(tracker.leader == "b" && tracker.hasOthers)
    }

    /// It does not know yet that another one has won: nodes and its own word are older.
    @Test func aSupersededLeaderDoesNotComeBackWhileAnotherLeads() {
        var tracker = tracker()
        _ = tracker.took("b", from: "b", shards: ["n"], at: at(1))
        for endpoint in ["a", "n", "m"] {
            #expect(tracker.verdict(on: "a", from: endpoint) == .takeAtLast)
        }
        _ = tracker.took("a", from: "n", shards: ["n"], at: at(2))
        #expect(tracker.leader == "b")
        // Nothing better came of the whole round: it leads again.
        #expect(tracker.took("a", from: "a", shards: ["n"], at: at(3)) == "b")
        #expect(tracker.leader == "a")
        #expect(tracker.verdict(on: "b", from: "n") == .takeAtLast)
    }

    @Test func theLeaderItselfMayNameASupersededOne() {
        var tracker = tracker()
        _ = tracker.took("b", from: "b", shards: [], at: at(1))
        tracker.denied(question: "b", naming: "a", at: at(5_000))
        #expect(tracker.leader == "a" && tracker.verdict(on: "a", from: "n") == .take)
    }

    @Test func withoutASearchTheOnesLeftLongestAgoComeNext() {
        var tracker = tracker(["a", "b"])
        tracker.fellSilent("a", at: at(0))
        #expect(tracker.next() == "b")
        tracker.denied(question: "b", naming: nil, at: at(1))
        #expect(tracker.next() == "a")
        tracker.fellSilent("a", at: at(2))
        #expect(tracker.next() == "b" && tracker.leader == "b")
        var alone = LeaderTracker(seeds: ["a"])
        _ = alone.took("a", from: "a", shards: [], at: at(0))
        #expect(alone.next() == nil)
    }

    @Test func aFollowerIgnoresALaggingPublisherForAWhile() {
        var patience = LagPatience()
        let end = Int64(ClientLimits.lagMax.wholeMilliseconds)
        #expect(patience.ignores(isBehind: false, at: at(0)) == false)
        #expect(patience.ignores(isBehind: true, at: at(10)) == true)
        #expect(patience.ignores(isBehind: true, at: at(9 + end)) == true)
        #expect(patience.ignores(isBehind: true, at: at(10 + end)) == false)
        #expect(patience.ignores(isBehind: false, at: at(11 + end)) == false)
        #expect(patience.ignores(isBehind: true, at: at(12 + end)) == true, "it counts anew")
    }
}
