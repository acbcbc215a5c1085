import CacheLoading
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

/// Which peers a node that is filled asks, in which order and how fast; what they give is in
/// ``ReplicaFillTests``.
@Suite struct WarmUpTests {
    /// Stores so many entries at a replica.
    private static func put(
        _ count: Int, _ name: String = "k", at replica: String = "n2", in stage: FillStage
    ) {
        guard let shard = stage.replicas[replica] else { preconditionFailure("it is there") }
        for number in 0..<count {
            let key = "\(name)\(number)"
            _ = shard.shard.fill(key, "v", shard.shard.token(for: key))
        }
    }

    @Test func onePageAfterTheOtherIsCopied() {
        let stage = FillStage("n2")
        Self.put(2, in: stage)
        stage.restart()
        #expect(stage.progress.phase == .waiting)
        stage.begin()
        var story: [String] = []
        while !stage.isOver {
            if stage.next.isEmpty, let due = stage.nextDeadline {
                stage.advance(by: due.elapsed(since: stage.here.now))
            }
            story.append(stage.next)
            stage.step()
        }
        #expect(story == ["survey n2", "list n2", "claim", "copies n2", "store", "over"])
        #expect(stage.progress.phase == .done && stage.nextDeadline == nil)
    }

    @Test func everyNamespaceOfThePeerIsCopied() {
        let stage = FillStage("n2")
        let other = RequestShape(namespace: Namespace("made-up") ?? .default)
        let token = stage.there.shard.get("a", .token, other).fields.token
        var description = SetOperation.Description()
        description.token = token
        _ = stage.there.shard.set("a", "of the other", description, other)
        Self.put(1, in: stage)
        stage.restart()
        stage.begin()
        stage.run()
        #expect(stage.here.get("a", [], other).text == "of the other")
        #expect(stage.here.get("k0").text == "v")
    }

    @Test func theHottestAreCopiedFirst() {
        let stage = FillStage("n2") { $0.keysMax = 256 }
        Self.put(4_000, in: stage)
        for _ in 0..<5 {
            for number in 0..<200 { _ = stage.there.shard.get("k\(number * 20)") }
        }
        stage.restart()
        stage.begin()
        stage.run()
        let hot = (0..<200).count { stage.here.get("k\($0 * 20)").status == .hit }
        #expect(hot == 200 && stage.progress.copiedCount == 256)
    }

    @Test func allOfManyIsCopied() {
        let stage = FillStage("n2")
        Self.put(5_000, in: stage)
        stage.restart()
        stage.begin()
        stage.run()
        #expect(stage.progress.copiedCount == 5_000 && stage.progress.doneCount == 5_000)
        #expect(stage.progress.failedCount == 0)
    }

    @Test func offIsOff() {
        let stage = FillStage("n2") { $0.source = .off }
        Self.put(2, in: stage)
        stage.restart()
        stage.begin()
        #expect(stage.next.isEmpty && stage.progress.phase == .idle)
    }

    // MARK: Peers

    @Test func whatOnePeerLacksComesFromTheNext() {
        let stage = FillStage("n2", "n3")
        Self.put(3, "a", at: "n2", in: stage)
        Self.put(3, "b", at: "n3", in: stage)
        stage.restart()
        stage.begin()
        stage.run()
        for key in ["a0", "a1", "a2", "b0", "b1", "b2"] {
            #expect(stage.here.get(key).status == .hit)
        }
    }

    @Test(arguments: ["survey", "list", "copies"])
    func aPeerThatHangsIsLeftForTheNextAndAskedAgain(moment: String) {
        let stage = FillStage("n2", "n3")
        Self.put(3, "a", at: "n2", in: stage)
        Self.put(3, "b", at: "n3", in: stage)
        stage.restart()
        stage.begin()
        stage.run(upTo: "\(moment) n2")
        stage.there.isStopped = true
        stage.step()
        let left = stage.nextDeadline?.elapsed(since: stage.here.now)
        #expect(left == WarmUpLimits.answerTimeout)
        stage.run(upTo: "survey n3")
        #expect(stage.next == "survey n3")
        stage.run(upTo: "survey n2")
        #expect(stage.here.get("b2").status == .hit, "the next one was asked for everything")
        stage.there.isStopped = false
        stage.run()
        #expect(stage.here.get("a0").status == .hit && stage.progress.phase == .done)
    }

    @Test func aPeerThatStaysAwayIsTriedThreeTimes() {
        let stage = FillStage("n2")
        stage.there.isStopped = true
        stage.begin()
        var surveys = 0
        while !stage.isOver, surveys < 10 {
            stage.run(upTo: "survey")
            if stage.next.isEmpty || stage.next == "over" { break }
            surveys += 1
            stage.step()
        }
        #expect(surveys == WarmUpLimits.triesPerPeerMax && stage.progress.phase == .done)
    }

    @Test func aPeerThatIsNotLiveIsAskedLater() {
        let stage = FillStage("n2")
        Self.put(3, in: stage)
        stage.restart()
        stage.there.shard.core.setStanding(.unheard)
        stage.begin()
        stage.step()
        #expect(stage.next.isEmpty)
        stage.there.shard.makeLive()
        stage.run()
        #expect(stage.here.get("k0").status == .hit)
    }

    /// As while the publisher is away: what was asked for meanwhile is asked for again.
    @Test(arguments: ["survey", "list", "copies"])
    func warmUpCompletesAfterAPeerRegainsItsLease(moment: String) {
        let stage = FillStage("n2")
        Self.put(3_000, in: stage)
        stage.restart()
        stage.begin()
        stage.run(upTo: moment)
        stage.there.shard.core.setStanding(.unheard)
        stage.run(for: .seconds(20))
        #expect(!stage.isOver && stage.progress.replicaCount == 0)
        stage.there.shard.makeLive()
        stage.run()
        #expect((0..<3_000).allSatisfy { stage.here.get("k\($0)").status == .hit })
        #expect(stage.progress.phase == .done && stage.progress.replicaCount == 1)
    }

    @Test func aPeerThatNeverBecomesLiveIsGivenUp() {
        let stage = FillStage("n2")
        stage.there.shard.core.setStanding(.unheard)
        let begin = stage.here.now
        stage.begin()
        stage.run()
        let took = stage.here.now.elapsed(since: begin)
        #expect(took >= WarmUpLimits.replicaWaitMax && took <= WarmUpLimits.replicaWaitMax * 2)
        #expect(stage.progress.phase == .done && stage.progress.replicaCount == 0)
    }

    /// A release that does not know of copies is passed over.
    @Test func aPeerOfAnOlderReleaseGivesNothing() {
        let stage = FillStage("n2", "n3")
        Self.put(3, at: "n2", in: stage)
        stage.there.isOld = true
        stage.restart()
        stage.begin()
        stage.run()
        #expect(stage.progress.copiedCount == 0 && stage.progress.phase == .done)
        #expect(stage.there.shard.core.statistics.copiesGiven == 0)
    }

    @Test func aPeerThatRestartsInTheMiddleGivesWhatItHasThen() {
        let stage = FillStage("n2", "n3")
        for replica in ["n2", "n3"] { Self.put(600, at: replica, in: stage) }
        stage.restart()
        stage.begin()
        stage.run(upTo: "store")
        stage.there.shard = ShardHarness(isReplicated: true)
        stage.there.shard.now = stage.here.now
        stage.run()
        #expect((0..<600).allSatisfy { stage.here.get("k\($0)").status == .hit })
    }

    @Test func aNodeThatHearsOfNoReplicaStopsWaiting() {
        let stage = FillStage("n2")
        var warmUp = WarmUp(
            WarmUpSettings(), node: stage.here.core.options.node, shardCount: 1)
        var actions: [WarmUp.Action] = []
        #expect(warmUp.nextDeadline == nil && warmUp.progress.phase == .waiting)
        warmUp.live(now: stage.here.now)
        let end = stage.here.now.advanced(by: WarmUpLimits.replicaWaitMax)
        #expect(warmUp.nextDeadline == end)
        warmUp.timeIsUp(now: end, into: &actions)
        #expect(actions == [.over] && warmUp.progress.phase == .done)
    }

    // MARK: Pace

    @Test func neitherMoreKeysNorBytesASecondThanMayBe() {
        for (change, seconds) in [
            ({ $0.perSecond = 100 }, 10), ({ $0.bytesPerSecond = 64 << 10 }, 15),
        ] as [((inout WarmUpSettings) -> Void, UInt64)] {
            let stage = FillStage("n2", change: change)
            let value = String(repeating: "v", count: 1_000)
            for number in 0..<1_000 {
                _ = stage.there.shard.fill(
                    "k\(number)", value, stage.there.shard.token(for: "k\(number)"))
            }
            stage.restart()
            let begin = stage.here.now
            stage.begin()
            stage.run()
            let took = stage.here.now.elapsed(since: begin).wholeMilliseconds / 1_000
            #expect(stage.progress.copiedCount == 1_000)
            #expect(took + 1 >= seconds && took <= seconds + 2)
        }
    }

    // MARK: Leaving

    @Test(arguments: ["survey", "list", "claim", "copies", "store"])
    func aNodeThatLeavesAsksForNothingMore(moment: String) {
        let stage = FillStage("n2")
        Self.put(300, in: stage)
        stage.restart()
        stage.begin()
        stage.run(upTo: moment)
        stage.stop()
        stage.step()
        #expect(stage.next == "over" && stage.progress.phase == .stopped)
        stage.step()
        #expect(stage.next.isEmpty && stage.nextDeadline == nil)
    }
}
