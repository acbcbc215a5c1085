import CacheClientCore
import CacheModel
import Testing

@Suite struct TopologyHuntTests {
    private func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: 0).advanced(by: .milliseconds(milliseconds))
    }

    @Test func endpointsAreAskedInTurnUntilOneAnswers() {
        var hunt = TopologyHunt(seeds: ["a", "b"])
        #expect(hunt.tick(at: at(0)) == .wait(until: nil))
        hunt.wanted(at: at(0))
        #expect(hunt.tick(at: at(0)) == .ask(endpoint: "a"))
        #expect(hunt.tick(at: at(100)) == .wait(until: at(400)))
        #expect(hunt.tick(at: at(400)) == .ask(endpoint: "b"))
        hunt.answered(by: "b", publisher: "p", shards: ["s", "b", ""], at: at(500))
        #expect(hunt.candidates == ["p", "b", "a", "s"])
        #expect(!hunt.isUnderWay && hunt.due == nil)
    }

    @Test func afterARoundWithoutAnAnswerItRestsLongerEachTime() {
        var hunt = TopologyHunt(seeds: ["a"])
        hunt.wanted(at: at(0))
        #expect(hunt.tick(at: at(0)) == .ask(endpoint: "a"))
        hunt.failed(at: at(10))
        #expect(hunt.tick(at: at(10)) == .wait(until: at(260)))
        #expect(hunt.tick(at: at(260)) == .ask(endpoint: "a"))
        #expect(hunt.tick(at: at(660)) == .wait(until: at(1_160)))
        #expect(hunt.due == at(1_160))
    }

    @Test func aFreshTopologyIsNotAskedForAgainAtOnce() {
        var hunt = TopologyHunt(seeds: ["a"])
        hunt.wanted(at: at(0))
        _ = hunt.tick(at: at(0))
        hunt.answered(by: "a", publisher: "", shards: [], at: at(5))
        hunt.wanted(at: at(6))
        #expect(hunt.tick(at: at(6)) == .wait(until: at(255)))
        #expect(hunt.tick(at: at(255)) == .ask(endpoint: "a"))
    }

    @Test func wantingItTwiceAsksOnce() {
        var hunt = TopologyHunt(seeds: ["a", "b"])
        hunt.wanted(at: at(0))
        _ = hunt.tick(at: at(0))
        hunt.wanted(at: at(1))
        #expect(hunt.tick(at: at(2)) == .wait(until: at(400)))
    }

    @Test func placesThatWereGivenStayAndThoseThatWereToldAreForgotten() {
        var hunt = TopologyHunt(seeds: ["a", "b"])
        hunt.answered(
            by: "a", publisher: "p", shards: (0..<1_000).map { "made-up-\($0)" }, at: at(0))
        #expect(hunt.candidates.prefix(4) == ["p", "a", "b", "made-up-0"])
        #expect(hunt.candidates.count == 2 + ClientLimits.candidatesLearnedMax)
        hunt.answered(by: "made-up-7", publisher: "q", shards: ["s"], at: at(1_000))
        #expect(hunt.candidates == ["q", "made-up-7", "a", "b", "s"])
    }

    /// A node that was taken from the topology says nothing of it to who asks it alone.
    @Test func anActiveClientRefreshesItsTopologyWithoutHearingANewVersion() {
        var hunt = TopologyHunt(seeds: ["a"])
        let age = ClientLimits.topologyAgeMax.wholeMilliseconds
        hunt.answered(by: "a", publisher: "p", shards: ["s"], at: at(1_000))
        hunt.heard(7, ours: 7, at: at(1_000 + Int64(age) - 1))
        #expect(!hunt.isUnderWay)
        hunt.heard(7, ours: 7, at: at(1_000 + Int64(age)))
        #expect(hunt.tick(at: at(1_000 + Int64(age))) == .ask(endpoint: "p"))
        hunt.answered(by: "p", publisher: "p", shards: ["s"], at: at(20_000))
        hunt.heard(7, ours: 7, at: at(20_001))
        #expect(!hunt.isUnderWay)
        // Another version, or none of ours, is asked about at once.
        hunt.heard(8, ours: 7, at: at(20_500))
        #expect(hunt.tick(at: at(20_500)) == .ask(endpoint: "p"))
        hunt.answered(by: "p", publisher: "p", shards: ["s"], at: at(21_000))
        hunt.heard(8, ours: nil, at: at(21_500))
        #expect(hunt.isUnderWay)
    }

    // MARK: Another cluster: docs/decisions/0089

    @Test func keptEndpointsFollowNamedOnesAndAreDroppedAfterAnAnswer() {
        var hunt = TopologyHunt(seeds: ["a"], kept: ["k", "a", "l"])
        #expect(hunt.candidates == ["a", "k", "l"])
        #expect(hunt.source(of: "a") == .named && hunt.source(of: "k") == .kept)
        hunt.answered(by: "k", publisher: "p", shards: ["k", "s"], at: at(0))
        #expect(hunt.candidates == ["p", "k", "a", "s"])
        #expect(hunt.source(of: "k") == .learned && hunt.source(of: "p") == .learned)
        #expect(hunt.source(of: "l") == .kept)
    }

    @Test func anOfferIsTakenOnlyAfterAllOfTheRoundWereAsked() {
        var hunt = TopologyHunt(seeds: ["a", "b"])
        hunt.wanted(at: at(0))
        #expect(hunt.tick(at: at(0)) == .ask(endpoint: "a"))
        hunt.wasOffered(at: at(10))
        #expect(hunt.tick(at: at(10)) == .ask(endpoint: "b"))
        #expect(hunt.tick(at: at(410)) == .takeOffer)
        hunt.answered(by: "a", publisher: "q", shards: ["t"], at: at(410))
        #expect(!hunt.isUnderWay && hunt.candidates == ["q", "a", "b", "t"])
    }

    @Test func aBetterAnswerOrANewRoundDropsAnOffer() {
        var hunt = TopologyHunt(seeds: ["a", "b"])
        hunt.wanted(at: at(0))
        _ = hunt.tick(at: at(0))
        hunt.wasOffered(at: at(10))
        _ = hunt.tick(at: at(10))
        hunt.answered(by: "b", publisher: "p", shards: [], at: at(20))
        hunt.wanted(at: at(1_000))
        #expect(hunt.tick(at: at(1_000)) == .ask(endpoint: "p"))
        #expect(hunt.tick(at: at(1_400)) == .ask(endpoint: "b"))
        #expect(hunt.tick(at: at(1_800)) == .ask(endpoint: "a"))
        #expect(hunt.tick(at: at(2_200)) == .wait(until: at(2_450)))
    }

    // MARK: Several publishers: docs/protocol.md 8.6

    @Test func thePublisherThatNotLeaderNamesIsAskedNext() {
        var hunt = TopologyHunt(seeds: ["a", "b", "c"])
        hunt.wanted(at: at(0))
        _ = hunt.tick(at: at(0))
        hunt.denied(by: "a", naming: "x", at: at(1))
        #expect(hunt.tick(at: at(1)) == .ask(endpoint: "x"))
        // Named again, and by itself: it was asked.
        hunt.denied(by: "x", naming: "x", at: at(2))
        #expect(hunt.tick(at: at(2)) == .ask(endpoint: "b"))
        hunt.denied(by: "b", naming: "a", at: at(3))
        #expect(hunt.tick(at: at(3)) == .ask(endpoint: "c"))
        // A late answer does not end the wait for the one that is asked.
        hunt.denied(by: "b", naming: nil, at: at(4))
        #expect(hunt.tick(at: at(4)) == .wait(until: at(403)))
        hunt.denied(by: "c", naming: nil, at: at(5))
        #expect(hunt.tick(at: at(5)) == .wait(until: at(255)))
    }

    /// As the publisher of a topology of a named endpoint is.
    @Test func aPublisherThatANamedOneNamesCountsAsNamed() {
        var hunt = TopologyHunt(seeds: ["a"], kept: ["k"])
        hunt.wanted(at: at(0))
        _ = hunt.tick(at: at(0))
        hunt.denied(by: "a", naming: "x", at: at(1))
        _ = hunt.tick(at: at(1))
        hunt.denied(by: "k", naming: "y", at: at(2))
        #expect(hunt.source(of: "x") == .named && hunt.source(of: "y") == .learned)
        hunt.answered(by: "x", publisher: "x", shards: [], at: at(3))
        #expect(hunt.source(of: "x") == .learned)
    }

    @Test func aRoundFollowsABoundedNumberOfNames() {
        var hunt = TopologyHunt(seeds: ["a"])
        hunt.wanted(at: at(0))
        var asked: [String] = []
        while case .ask(let endpoint) = hunt.tick(at: at(0)), asked.count < 100 {
            asked.append(endpoint)
            hunt.denied(by: endpoint, naming: "x\(asked.count)", at: at(0))
        }
        #expect(asked.count == 1 + ClientLimits.leadersNamedMax)
    }

    /// The times at which rounds begin in which every endpoint answers NOT LEADER at once.
    private func rounds(until end: Int64) -> [Int64] {
        var hunt = TopologyHunt(seeds: ["a", "b"])
        hunt.answered(by: "a", publisher: "a", shards: ["n"], at: at(0))
        hunt.leaderWanted(until: at(end), publishers: ["p"], avoiding: "a", at: at(10))
        var begun: [Int64] = []
        for moment in 10...end {
            while case .ask(let endpoint) = hunt.tick(at: at(moment)) {
                if endpoint == "p" { begun.append(moment) }
                hunt.denied(by: endpoint, naming: "a", at: at(moment))
            }
        }
        return begun
    }

    @Test func aSearchForTheLeaderIsHastyAtFirst() {
        let begun = rounds(until: 3_000)
        let pauses = zip(begun.dropFirst(), begun).map { $0 - $1 }
        #expect(begun.first == 50, "not sooner than the pause after the last round")
        #expect(pauses.prefix(18).allSatisfy { $0 == 50 }, "\(pauses)")
        #expect(pauses.suffix(5).allSatisfy { $0 == 250 }, "\(pauses)")
    }

    @Test func aSearchAsksAllPublishersAndTheOneThatWasLeftLast() {
        var hunt = TopologyHunt(seeds: ["a", "b"])
        hunt.answered(by: "a", publisher: "a", shards: ["n"], at: at(0))
        hunt.leaderWanted(until: at(5_000), publishers: ["a", "p"], avoiding: "a", at: at(300))
        var asked: [String] = []
        for moment in stride(from: Int64(300), to: 1_300, by: 250) {
            guard case .ask(let endpoint) = hunt.tick(at: at(moment)) else { break }
            asked.append(endpoint)
            // The dead leader is named: it stays the last one.
            if endpoint == "p" { hunt.denied(by: "p", naming: "a", at: at(moment)) }
            if endpoint == "p" { #expect(hunt.tick(at: at(moment)) == .ask(endpoint: "b")) }
        }
        #expect(asked == ["p", "n", "a"], "each takes a quarter of a second")
    }

    @Test func aSearchGoesOnAfterATopologyThatDoesNotEndIt() {
        var hunt = TopologyHunt(seeds: ["a"])
        hunt.leaderWanted(until: at(5_000), publishers: [], at: at(1_000))
        #expect(hunt.tick(at: at(1_000)) == .ask(endpoint: "a"))
        hunt.answered(by: "n", publisher: "a", others: ["p"], shards: ["n"], at: at(1_001))
        #expect(hunt.candidates == ["a", "n", "p"])
        #expect(hunt.tick(at: at(1_001)) == .wait(until: at(1_050)))
        #expect(hunt.tick(at: at(1_050)) == .ask(endpoint: "a"))
        hunt.leaderFound()
        hunt.answered(by: "a", publisher: "a", shards: ["n"], at: at(1_051))
        #expect(!hunt.isUnderWay)
    }

    @Test func aSearchThatNothingWaitsForBecomesAnOrdinaryOne() {
        var hunt = TopologyHunt(seeds: ["a"])
        hunt.leaderWanted(until: at(100), publishers: [], at: at(0))
        #expect(hunt.tick(at: at(50)) == .ask(endpoint: "a"))
        hunt.failed(at: at(200))
        #expect(hunt.tick(at: at(200)) == .wait(until: at(450)))
        #expect(hunt.tick(at: at(450)) == .ask(endpoint: "a"))
        #expect(hunt.tick(at: at(849)) == .wait(until: at(850)))
        hunt.answered(by: "a", publisher: "a", shards: [], at: at(849))
        #expect(!hunt.isUnderWay)
    }
}
