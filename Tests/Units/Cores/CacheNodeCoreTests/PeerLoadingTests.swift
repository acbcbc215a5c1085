import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// In a replicated cluster one node loads for all of them, and nobody waits for who waits.
@Suite struct PeerLoadingTests {
    @Test(arguments: [0, 1, 2])
    func theOwnerLoadsForAllNodesInAnyOrderOfRequests(first: Int) {
        let stage = PeerStage(3)
        let key = stage.key(ownedBy: 1)
        for step in 0..<3 { stage.get(key, at: (first + step) % 3) }
        stage.settle()
        #expect(stage.asked.map(\.node) == [1], "the owner's load, and no other")
        stage.answer(
            .text("one") {
                $0.lifetime = .seconds(10)
                $0.tags = [.named("t")]
                $0.validator = Validator("\"e\"")
                $0.version = Version(3)
            })
        for index in 0..<3 {
            let answer = stage.answers[index].first
            #expect(answer?.status == .hit && answer?.flags == [] && answer?.text == "one")
            #expect(answer?.ttl == 10_000 && answer?.fields.tags == [.named("t")])
            #expect(answer?.fields.etag == Validator("\"e\""))
            #expect(answer?.fields.version == Version(3))
            let held = stage.nodes[index].shard.get(key, .details)
            #expect(held.detail == Tier.memory.rawValue && held.fields.tags == [.named("t")])
        }
        #expect(stage.asked.isEmpty)
    }

    @Test func manyReadersOfEveryNodeAreOneRequest() {
        let stage = PeerStage(3)
        let key = stage.key(ownedBy: 2)
        for index in 0..<3 { for _ in 0..<100 { stage.get(key, at: index) } }
        stage.settle()
        #expect(stage.asked.count == 1)
        stage.answer(.text("one"))
        #expect(stage.answers.allSatisfy { $0.count == 100 && $0.allSatisfy { $0.text == "one" } })
    }

    @Test func whatTheOwnerHoldsCostsTheOriginNothing() {
        let stage = PeerStage(2) { policy, origin in
            policy.timeToLiveJitter = Percent(50) ?? .none
            origin.staleIfError = .seconds(30)
        }
        let key = stage.key(ownedBy: 0)
        stage.get(key, at: 0)
        stage.answer(.text("one") { $0.lifetime = .seconds(20) })
        stage.advance(by: .seconds(4))
        let there = stage.nodes[0].shard.get(key, .details)
        stage.get(key, at: 1)
        stage.settle()
        #expect(stage.asked.isEmpty)
        let here = stage.answers[1].first
        #expect(here?.text == "one" && here?.ttl == there.ttl, "no second draw of the jitter")
        #expect(here?.age == there.age, "it is as old here as there")
        #expect(here?.fields.fillPosition == there.fields.fillPosition)
        let held = stage.nodes[1].shard.get(key, .details)
        #expect(held.ttl.distance(to: there.ttl).magnitude < 40)
        #expect(held.age.distance(to: there.age).magnitude < 40)

        // Past its lifetime it falls back on it, as the owner would.
        stage.advance(by: .seconds(20))
        stage.get(key, at: 1)
        stage.settle()
        stage.answer(.error(.unavailable))
        #expect(stage.answers[1].last?.status == .stale)
    }

    @Test func whatThereIsNoneOfIsSaidByTheOwner() {
        let stage = PeerStage(2)
        let key = stage.key(ownedBy: 0)
        stage.get(key, at: 1)
        stage.settle()
        stage.answer(.none(for: .seconds(7)))
        #expect(stage.answers[1].first?.flags == .negative)
        #expect(stage.answers[1].first?.ttl == 7_000)
        stage.get(key, at: 1)
        stage.get(key, at: 0)
        #expect(stage.answers.allSatisfy { $0.last?.flags == .negative } && stage.asked.isEmpty)
    }

    @Test func anOwnerReturnsItsNegativeEntryToALaterPeer() {
        let stage = PeerStage(2)
        let key = stage.key(ownedBy: 0)
        stage.get(key, at: 0)
        stage.answer(.none(for: .seconds(7)))
        stage.advance(by: .seconds(2))
        stage.get(key, at: 1)
        stage.settle()
        #expect(stage.answers[1].first?.flags == .negative && stage.asked.isEmpty)
        #expect((4_960...5_000).contains(stage.answers[1].first?.ttl ?? 0))
    }

    @Test func aNoStoreValueFromTheOwnersOriginIsNotKept() {
        let stage = PeerStage(2)
        let key = stage.key(ownedBy: 0)
        for index in 0..<2 { stage.get(key, at: index) }
        stage.settle()
        stage.answer(.text("secret") { $0.mayStore = false })
        for index in 0..<2 {
            #expect(stage.answers[index].map(\.text) == ["secret"])
            #expect(stage.answers[index].first?.ttl == 0)
            #expect(stage.answers[index].first?.fields.terms?.mustNotBeKept == true)
        }
        stage.get(key, at: 1)
        stage.settle()
        #expect(stage.asked.map(\.node) == [0])
    }

    /// It answers no reader without the origin's word, also where that word says nothing of it.
    @Test func whatMayNotBeReusedStaysSoAfterAPeerGaveIt() {
        let stage = PeerStage(2) { _, origin in origin.staleIfError = .seconds(60) }
        let key = stage.key(ownedBy: 0)
        stage.get(key, at: 1)
        stage.settle()
        stage.answer(
            .text("one") {
                $0.validator = Validator("\"e\"")
                ($0.lifetime, $0.said.lifetime) = (.zero, .seconds(0))
                ($0.staleWhileRevalidate, $0.staleIfError) = (.zero, .zero)
                ($0.said.hasWhileRevalidate, $0.said.hasIfError) = (true, true)
            })
        #expect(stage.answers[1].map(\.text) == ["one"])
        stage.kill(0)
        stage.setTopology(of: 1, [1])
        stage.get(key, at: 1)
        stage.settle()
        let request = stage.asked.first?.request
        #expect(request?.validator == Validator("\"e\""))
        #expect(request?.held?.said?.lifetime == .seconds(0))
        #expect(request?.held?.said?.hasIfError == true && request?.held?.staleIfError == .zero)
        #expect(request?.held?.said?.hasWhileRevalidate == true)
    }

    // MARK: Coherence

    @Test func aNodeThatHasObeyedMoreIsNotGivenLess() {
        let stage = PeerStage(2)
        let key = stage.key(ownedBy: 0)
        stage.get(key, at: 0)
        stage.answer(.text("old"))
        stage.invalidate(.tag("other"), at: [1])
        stage.invalidate(.key(key), at: [1])
        stage.get(key, at: 1)
        stage.settle()
        #expect(stage.answers[1].isEmpty, "the owner has not obeyed as much, and waits")
        stage.invalidate(.tag("other"), at: [0])
        #expect(stage.asked.isEmpty)
        stage.invalidate(.key(key), at: [0])
        #expect(stage.asked.map(\.node) == [0])
        stage.answer(.text("new"))
        #expect(stage.answers[1].first?.text == "new")
    }

    @Test func anOwnerThatDoesNotCatchUpIsNotWaitedFor() {
        let stage = PeerStage(2)
        let key = stage.key(ownedBy: 0)
        stage.invalidate(.key(key), at: [1])
        stage.get(key, at: 1)
        stage.settle()
        stage.advance(by: .milliseconds(200))
        #expect(stage.asked.isEmpty, "it may be a moment behind")
        stage.advance(by: .milliseconds(200))
        #expect(stage.asked.map(\.node) == [1])
        stage.answer(.text("one"))
        #expect(stage.answers[1].map(\.text) == ["one"])
    }

    @Test func anOwnerThatCatchesUpHasTheWholeTimeForItsLoad() {
        let stage = PeerStage(2)
        let key = stage.key(ownedBy: 0)
        stage.invalidate(.key(key), at: [1])
        stage.get(key, at: 1)
        stage.settle()
        stage.advance(by: .milliseconds(200))
        stage.invalidate(.key(key), at: [0])
        for _ in 0..<10 { stage.advance(by: .milliseconds(200)) }
        #expect(stage.asked.map(\.node) == [0] && stage.answers[1].isEmpty)
        stage.answer(.text("one"))
        #expect(stage.answers[1].map(\.text) == ["one"])
    }

    /// The value is right for who asked before; who asks after has the owner load anew.
    @Test func anInvalidationThatOvertakesTheOwnersLoadOvertakesEverybodys() {
        let stage = PeerStage(2)
        let key = stage.key(ownedBy: 0)
        stage.get(key, at: 1)
        stage.settle()
        stage.invalidate(.key(key))
        stage.get(key, at: 1)
        stage.settle()
        stage.answer(.text("old"))
        #expect(stage.nodes.allSatisfy { $0.shard.core.statistics.reads.loadedHits <= 1 })
        while !stage.asked.isEmpty { stage.answer(.text("new")) }
        let texts = stage.answers[1].map(\.text)
        #expect(texts.count == 2 && texts.last == "new")
        #expect(stage.nodes[1].shard.get(key).text == "new")
    }

    @Test func whatComesKeepsItsFillPosition() {
        let stage = PeerStage(2)
        let key = stage.key(ownedBy: 0)
        stage.get(key, at: 0)
        stage.answer(.text("one"))
        let fill = stage.nodes[0].shard.get(key, .details).fields.fillPosition
        stage.invalidate(.key("another"))
        stage.get(key, at: 1)
        stage.settle()
        #expect(stage.answers[1].first?.fields.fillPosition == fill)
        #expect(stage.nodes[1].shard.get(key, .details).fields.fillPosition == fill)
    }

    @Test func aValueInvalidatedDuringAPeerReplyIsNotKept() {
        let stage = PeerStage(2)
        let key = stage.key(ownedBy: 0)
        stage.get(key, at: 0)
        stage.answer(.text("old") { $0.tags = [.named("t")] })
        // The answer is under way when the invalidation comes.
        stage.get(key, at: 1)
        stage.invalidate(.tag("t"))
        stage.settle()
        while !stage.asked.isEmpty { stage.answer(.text("new") { $0.tags = [.named("t")] }) }
        stage.get(key, at: 1)
        stage.settle()
        while !stage.asked.isEmpty { stage.answer(.text("new") { $0.tags = [.named("t")] }) }
        #expect(stage.answers[1].last?.text == "new")
    }

    @Test func aNodeWithoutALeaseAsksTheOrigin() {
        let stage = PeerStage(2)
        let key = stage.key(ownedBy: 0)
        stage.nodes[1].shard.makeLive(for: .zero)
        stage.get(key, at: 1)
        stage.settle()
        #expect(stage.asked.map(\.node) == [1])
    }

    @Test func anOwnerWithoutALeaseIsNoAnswer() {
        let stage = PeerStage(2)
        let key = stage.key(ownedBy: 0)
        stage.nodes[0].shard.makeLive(for: .zero)
        stage.get(key, at: 1)
        stage.settle()
        while stage.asked.first?.node == 0 { stage.answer(.text("guess")) }
        #expect(stage.asked.map(\.node) == [1], "what nobody vouches for is no load")
        stage.answer(.text("one"))
        #expect(stage.answers[1].first?.flags == [] && stage.answers[1].first?.text == "one")
    }

    // MARK: Deaths and disagreements

    @Test func anOwnerThatIsKilledCostsOneRequestMore() {
        let stage = PeerStage(3)
        let key = stage.key(ownedBy: 0)
        for index in 0..<3 { stage.get(key, at: index) }
        stage.settle()
        #expect(stage.asked.map(\.node) == [0])
        stage.kill(0)
        #expect(stage.asked.count == 1, "two in all: the next owner loads for the rest")
        stage.answer(.text("one"))
        #expect(stage.answers[1].map(\.text) == ["one"] && stage.answers[2].map(\.text) == ["one"])
    }

    @Test func anOwnerThatHangsIsLeftAfterAWhile() {
        let stage = PeerStage(3)
        let key = stage.key(ownedBy: 0)
        stage.nodes[0].isStopped = true
        stage.get(key, at: 1)
        stage.get(key, at: 2)
        stage.settle()
        stage.advance(by: PeerLimits.quietMax)
        #expect(stage.asked.isEmpty, "it may be slow")
        stage.advance(by: PeerLimits.silenceMin)
        #expect(stage.asked.count == 1)
        stage.answer(.text("one"))
        #expect(stage.answers[1].map(\.text) == ["one"] && stage.answers[2].map(\.text) == ["one"])

        // Nobody waits for it again until it has said something.
        stage.nodes[0].isStopped = false
        stage.advance(by: PeerLimits.probeInterval)
        let other = stage.key(ownedBy: 0)
        stage.invalidate(.key(other))
        stage.get(other, at: 1)
        stage.settle()
        #expect(stage.asked.map(\.node) == [0], "it is back")
    }

    @Test func aPeerWaitsForAnOwnerWithASlowOrigin() {
        let stage = PeerStage(2)
        let key = stage.key(ownedBy: 0)
        stage.get(key, at: 1)
        stage.settle()
        for _ in 0..<20 { stage.advance(by: .milliseconds(200)) }
        #expect(stage.asked.map(\.node) == [0], "it says that it is there whenever it is asked")
        stage.answer(.text("one"))
        #expect(stage.answers[1].map(\.text) == ["one"])
    }

    @Test func nodesMistakingEachOtherForTheOwnerAskTheOrigin() {
        let stage = PeerStage(2)
        let key = stage.key(ownedBy: 0)
        // Each believes that the other is alone.
        stage.setTopology(of: 0, [1])
        stage.setTopology(of: 1, [0])
        stage.get(key, at: 0)
        stage.get(key, at: 1)
        stage.settle()
        #expect(Set(stage.asked.map(\.node)) == [0, 1], "each goes to the origin")
        stage.answer(.text("one"))
        stage.answer(.text("one"))
        #expect(stage.answers.allSatisfy { $0.map(\.text) == ["one"] })
    }

    @Test func aNodeAskedByAPeerAsksNoOtherPeer() {
        let stage = PeerStage(3)
        let key = stage.key(ownedBy: 0)
        stage.setTopology(of: 2, [1, 2])
        stage.get(key, at: 2)
        stage.settle()
        let origin = stage.asked.first?.node
        #expect(origin != 0, "the node that it asked has not asked the owner")
        stage.answer(.text("one"))
        #expect(stage.answers[2].last?.text == "one")
    }

    @Test func aLoadThatIsCancelledThereIsMadeElsewhere() {
        let stage = PeerStage(3)
        let key = stage.key(ownedBy: 0)
        for index in 1..<3 { stage.get(key, at: index) }
        stage.settle()
        stage.answer(.error(.cancelled))
        #expect(stage.asked.count == 1 && stage.asked.first?.node != 0)
        stage.answer(.text("one"))
        #expect(stage.answers[1].map(\.text) == ["one"] && stage.answers[2].map(\.text) == ["one"])
    }

    @Test(arguments: LoadFailure.allCases.filter { $0 != .stillLoading })
    func theOriginsOwnRefusalIsNotAskedForTwice(failure: LoadFailure) {
        let stage = PeerStage(2)
        let key = stage.key(ownedBy: 0)
        stage.get(key, at: 1)
        stage.settle()
        stage.answer(.error(failure))
        let isTheOrigins: [LoadFailure] = [
            .timedOut, .unavailable, .refused, .tooLarge, .malformed, .outdated,
        ]
        #expect(stage.asked.isEmpty == isTheOrigins.contains(failure), "\(failure)")
        if stage.asked.isEmpty {
            #expect(stage.answers[1].first?.status == .failed)
            #expect(stage.answers[1].first?.detail == failure.rawValue)
        }
    }

    @Test func aLoadThatTakesTooLongEndsForItsReaders() {
        let stage = PeerStage(2) { $1.timeout = .seconds(2) }
        let key = stage.key(ownedBy: 0)
        stage.get(key, at: 1)
        stage.settle()
        for _ in 0..<15 { stage.advance(by: .milliseconds(200)) }
        #expect(stage.answers[1].first?.detail == LoadFailure.timedOut.rawValue)
    }

    // MARK: How new

    @Test func aNetworkOnlyReadBypassesTheOwnersCacheToo() {
        let stage = PeerStage(2)
        let key = stage.key(ownedBy: 0)
        stage.get(key, at: 0)
        stage.answer(.text("one"))
        stage.get(key, at: 1) { $0.field(.networkOnly, into: &$1) }
        stage.settle()
        #expect(stage.asked.map(\.node) == [0])
        stage.answer(.text("two"))
        #expect(stage.answers[1].first?.text == "two")
    }

    @Test func aRefreshIsNotAnsweredWithWhatIsHeldAlready() {
        let stage = PeerStage(2) { $1.refreshShare = Percent(50) ?? .none }
        let key = stage.key(ownedBy: 0)
        stage.get(key, at: 1)
        stage.settle()
        stage.answer(.text("one") { $0.lifetime = .seconds(100) })
        stage.advance(by: .seconds(95))
        for _ in 0..<1_000 where stage.asked.isEmpty {
            stage.get(key, at: 1)
            stage.settle()
        }
        #expect(stage.asked.map(\.node) == [0], "the owner loads it anew, though its own is fresh")
        #expect(stage.asked.first?.urgency == .refresh, "at leisure there, too")
        stage.answer(.text("two"))
        #expect(stage.nodes.allSatisfy { $0.shard.get(key).text == "two" })
    }

    @Test func aReaderWithASmallerMaxAgeStartsItsOwnLoad() {
        let stage = PeerStage(2)
        let key = stage.key(ownedBy: 0)
        stage.get(key, at: 0)
        stage.answer(.text("one"))
        stage.advance(by: .seconds(3))
        stage.get(key, at: 1)
        stage.get(key, at: 1) {
            $0.field(MessageFields.ID.maxAge, 1_000, into: &$1)
        }
        stage.settle()
        #expect(stage.asked.map(\.node) == [0])
        stage.answer(.text("two"))
        #expect(stage.answers[1].map(\.text).sorted() == ["one", "two"])
    }

    // MARK: Values

    @Test func aLongValueComesInParts() {
        let stage = PeerStage(2)
        let key = stage.key(ownedBy: 0)
        let long = (0..<(3 * WireLimits.chunkBytesMax + 17)).map { UInt8(truncatingIfNeeded: $0) }
        stage.get(key, at: 1)
        stage.settle()
        stage.answer(.value(long, LoadedFacts()))
        #expect(stage.asked.isEmpty)
        #expect(stage.answers[1].first?.fields.whole?.totalBytes == long.count)
        #expect(stage.nodes[1].peers.statistics.questions == 4)
    }

    @Test func aLongValueThatChangesMeanwhileIsLoadedHere() {
        let stage = PeerStage(2)
        let key = stage.key(ownedBy: 0)
        let long = [UInt8](repeating: 7, count: 2 * WireLimits.chunkBytesMax)
        stage.get(key, at: 0)
        stage.answer(.value(long, LoadedFacts()))
        stage.get(key, at: 1)
        stage.settle(steps: 2)
        _ = stage.nodes[0].shard.invalidate(.key(key))
        stage.settle()
        #expect(stage.asked.map(\.node) == [1])
    }

    @Test func aNoStoreValueLoadedForAPeerIsNotKept() {
        let stage = PeerStage(2)
        let key = stage.key(ownedBy: 0)
        stage.get(key, at: 1)
        stage.settle()
        stage.answer(.text("one") { $0.mayStore = false })
        #expect(stage.answers[1].first?.text == "one")
        stage.get(key, at: 1)
        stage.settle()
        #expect(stage.asked.map(\.node) == [0])
    }

    @Test func eachNodeLoadsForItselfWhereItIsToldTo() {
        let stage = PeerStage(3) { $1.coalescing = .node }
        let key = stage.key(ownedBy: 0)
        for index in 0..<3 { stage.get(key, at: index) }
        stage.settle()
        #expect(stage.asked.map(\.node) == [0, 1, 2])
    }
}
