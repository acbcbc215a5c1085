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
}
