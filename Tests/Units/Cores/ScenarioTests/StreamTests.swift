import CacheInvalidation
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// The stream, its gaps, and those who come back: scripts of what lost invalidations elsewhere.
@Suite struct StreamTests {
    private static func head(_ stage: Stage) -> LogPosition {
        stage.log?.head.position ?? .none
    }

    /// Scenarios 14 and 22: what is said between connecting and subscribing, and where to begin.
    @Test func aLateJoinerBeginsAtTheHeadAndMissesNothingAfterIt() {
        let stage = Stage(nodes: 2)
        for number in 0..<50 { stage.invalidate(.key("k\(number)"), wait: .none) }
        let before = Self.head(stage)
        stage.nodes[1].isDead = true
        stage.advance(.seconds(5))
        let joiner = stage.startNode(2)
        joiner.live = .held
        stage.advance(.seconds(1))
        stage.invalidate(.key("later"), wait: .none)
        #expect(joiner.applied >= before || joiner.applied == .none)
        joiner.live = .open
        stage.advance(.seconds(2))
        #expect(joiner.applied == Self.head(stage) && joiner.state == .live)
        #expect(joiner.control.statistics.replayedRecords <= 1, "not from the beginning")
    }

    /// Scenario 15, in the middle: the next record tells.
    @Test func aLossInTheMiddleIsReplayed() {
        let stage = Stage()
        stage.load(0, "a", "old")
        stage.nodes[0].live = .cut
        let lost = stage.beginInvalidation([.key("a")])
        #expect(stage.receipt(lost) == nil, "who did not hear it is waited for")
        stage.nodes[0].live = .open
        stage.invalidate(.key("b"))
        #expect(stage.receipt(lost)?.isComplete == true)
        #expect(stage.get(0, "a")?.status == .miss)
        #expect(stage.nodes[0].control.statistics.gaps == 1)
    }

    /// Scenarios 15 and 28, at the end, on an idle stream: only the head tells.
    @Test func aLossAtTheEndIsNoticedWithinTwoHeartbeats() {
        let stage = Stage()
        stage.load(0, "a", "old")
        stage.nodes[0].live = .cut
        let lost = stage.beginInvalidation([.key("a")])
        stage.nodes[0].live = .open
        stage.advance(.milliseconds(1_000))
        #expect(stage.receipt(lost)?.isComplete == true)
        #expect(stage.get(0, "a")?.status == .miss)
    }

    /// Scenario 16: late, twice, and the wrong way round.
    @Test func doubledAndReorderedRecordsAreObeyedOnceAndInOrder() {
        let stage = Stage()
        let node = stage.nodes[0]
        node.live = .held
        for number in 0..<5 { stage.invalidate(.key("k\(number)"), wait: .none) }
        node.liveFrames = node.liveFrames.reversed() + node.liveFrames
        let before = node.applied
        node.live = .open
        stage.settle()
        #expect(node.applied == Self.head(stage) && node.applied > before)
        #expect(node.shard.statistics.appliedRecords == 5)
    }

    /// Scenario 17: history enough.
    @Test func aNodeThatComesBackInTimeIsReplayedWhatItMissed() {
        let stage = Stage()
        stage.load(0, "gone", "old")
        stage.load(0, "kept", "same")
        stage.nodes[0].isPaused = true
        stage.nodes[0].live = .cut
        for number in 0..<300 { stage.invalidate(.key("k\(number)"), wait: .none) }
        stage.invalidate(.key("gone"), wait: .none)
        stage.advance(.seconds(10))
        stage.nodes[0].isPaused = false
        stage.nodes[0].live = .open
        stage.advance(.seconds(3))
        #expect(stage.nodes[0].state == .live)
        #expect(stage.get(0, "gone")?.status == .miss)
        #expect(stage.get(0, "kept")?.status == .hit)
        #expect(stage.nodes[0].shard.statistics.forgotten == 1, "once, when it began")
    }

    /// Scenarios 17 and 21: not enough. Everything is hidden, what nothing touched is shown again,
    /// and what follows is obeyed.
    @Test func aNodeThatComesBackTooLateKeepsWhatNothingTouched() {
        let stage = Stage(recordsMax: 50)
        stage.load(0, "gone", "old")
        stage.load(0, "tagged", "old", tags: ["news"])
        stage.load(0, "kept", "same")
        stage.nodes[0].isPaused = true
        stage.nodes[0].live = .cut
        stage.invalidate(.key("gone"), .tag("news"), wait: .none)
        for number in 0..<300 { stage.invalidate(.key("k\(number)"), wait: .none) }
        stage.advance(.seconds(10))
        stage.nodes[0].isPaused = false
        stage.nodes[0].live = .open
        stage.advance(.seconds(3))
        #expect(stage.nodes[0].shard.statistics.forgotten == 2)
        #expect(stage.get(0, "gone")?.status == .miss)
        #expect(stage.get(0, "tagged")?.status == .miss)
        #expect(stage.get(0, "kept")?.status == .hit)
        stage.invalidate(.key("kept"))
        #expect(stage.get(0, "kept")?.status == .miss)
    }

    /// Scenario 18: the publisher is started again and has its log.
    @Test func aPublisherRestartWithItsLogHidesNothingAndKeepsNodesLive() {
        let stage = Stage()
        stage.load(0, "a", "one")
        let before = Self.head(stage)
        let log = stage.killPublisher()
        stage.advance(.milliseconds(500))
        stage.startPublisher(with: log)
        for _ in 0..<40 {
            stage.advance(.milliseconds(100))
            #expect(stage.nodes.allSatisfy { $0.state.hasLease })
        }
        #expect(stage.get(0, "a")?.status == .hit)
        #expect(Self.head(stage) == before)
    }

    /// Scenario 19, and the race of a tail that is lost and whose numbers are used again.
    @Test func aLostTailWithReusedSequenceNumbersIsDetected() {
        let stage = Stage()
        stage.load(0, "a", "old")
        stage.load(1, "b", "old")
        let backup = stage.log
        stage.invalidate(.key("c"))
        stage.invalidate(.key("d"))
        let epoch = Self.head(stage).epoch
        stage.killPublisher()
        // The nodes cannot say that they are ahead until it has used one of the numbers again.
        for node in stage.nodes { node.toPublisher = .held }
        stage.startPublisher(with: backup)
        let other = stage.beginInvalidation([.key("a")], wait: .none)
        #expect(stage.receipt(other)?.position.epoch == epoch)
        for node in stage.nodes { node.toPublisher = .open }
        stage.advance(.seconds(10))
        #expect(Self.head(stage).epoch > epoch, "it contradicts its nodes")
        for node in 0..<2 {
            #expect(stage.nodes[node].state == .live)
            #expect(stage.get(node, "a")?.status == .miss)
            #expect(stage.get(node, "b")?.status == .miss, "of that life nobody knows everything")
        }
    }

    /// Scenario 23: the link looks up and nothing arrives.
    @Test func aHalfOpenLinkMakesANodeSuspectWithinItsLease() {
        let stage = Stage()
        stage.load(0, "a", "one")
        stage.nodes[0].live = .cut
        stage.nodes[0].toNode = .cut
        stage.advance(.milliseconds(3_100))
        #expect(stage.nodes[0].state == .suspect)
        #expect(stage.get(0, "a")?.status == .stale)
        // Its PINGs still arrive. It is granted no more once it does not catch up.
        let number = stage.beginInvalidation([.key("a")])
        stage.advance(.seconds(6))
        #expect(stage.receipt(number)?.expired.map(\.node.name) == ["n1"])
        stage.nodes[0].live = .open
        stage.nodes[0].toNode = .open
        stage.advance(.seconds(15))
        #expect(stage.nodes[0].state == .live)
        #expect(stage.get(0, "a")?.status == .miss)
    }

    /// Scenario 24: it does not look while everything changes.
    @Test func aNodeThatSleepsThroughARestartWakesUpSuspect() {
        let stage = Stage()
        stage.load(0, "a", "one")
        stage.nodes[0].isPaused = true
        let log = stage.killPublisher()
        stage.startPublisher(with: log)
        stage.advance(.seconds(10))
        stage.invalidate(.key("a"), wait: .none)
        // It wakes and is asked before it has heard anything.
        #expect(stage.get(0, "a")?.status == .stale)
        stage.nodes[0].isPaused = false
        stage.advance(.seconds(5))
        #expect(stage.get(0, "a")?.status == .miss)
        #expect(stage.nodes[0].state == .live)
    }

    /// Scenario 26: a slow node is owed, then expired; the others are not slowed.
    @Test func aStoppedNodeDelaysReceiptsOnlyUntilItsGrantEnds() {
        let stage = Stage(nodes: 3)
        stage.nodes[2].isPaused = true
        let all = stage.beginInvalidation([.key("a")])
        let quorum = stage.beginInvalidation([.key("b")], wait: .quorum)
        #expect(stage.receipt(quorum)?.isComplete == true)
        #expect(stage.receipt(all) == nil)
        stage.advance(.milliseconds(3_100))
        let receipt = stage.receipt(all)
        #expect(receipt?.isComplete == true)
        #expect(receipt?.applied.count == 2 && receipt?.expired.map(\.node.name) == ["n3"])
    }

    // MARK: Races of the protocol

    /// An earlier publisher may have granted a lease that this one does not know of.
    @Test func aRestartedPublisherWaitsForLeasesItDidNotGrant() {
        let stage = Stage()
        stage.load(1, "a", "old")
        stage.nodes[1].isPaused = true
        let log = stage.killPublisher()
        stage.startPublisher(with: log)
        let number = stage.beginInvalidation([.key("a")])
        stage.advance(.milliseconds(2_900))
        #expect(stage.receipt(number) == nil, "n2 may still hold a lease")
        stage.advance(.milliseconds(300))
        #expect(stage.receipt(number)?.expired.map(\.node.name) == ["n2"])
        #expect(stage.get(1, "a")?.status == .stale)
    }

    /// The node gets its lease while the disk writes a record that it has not seen. The wait set is
    /// taken after that, so it is in it.
    @Test func aLeaseGrantedDuringTheAppendIsWaitedFor() {
        let stage = Stage()
        stage.load(0, "a", "old")
        stage.nodes[0].isPaused = true
        stage.advance(.seconds(4))
        stage.makeDiskSlow()
        let number = stage.beginInvalidation([.key("a")])
        stage.nodes[0].isPaused = false
        stage.advance(.seconds(2))
        #expect(stage.nodes[0].state == .live, "it has a lease, and knows of nothing")
        #expect(stage.get(0, "a")?.status == .hit)
        stage.nodes[0].live = .held
        stage.nodes[0].toNode = .held
        stage.finishAppend()
        #expect(stage.receipt(number) == nil, "it may still call the old value fresh")
        stage.nodes[0].live = .open
        stage.nodes[0].toNode = .open
        stage.settle()
        #expect(stage.receipt(number)?.applied.count == 2)
        #expect(stage.get(0, "a")?.status == .miss)
    }

    /// The old run sleeps with its lease while the new one is heard.
    @Test func aNewRunDoesNotTakeOverTheOldRunsGrant() {
        let stage = Stage()
        stage.load(0, "a", "old")
        stage.nodes[0].isPaused = true
        let successor = stage.startNode(1)
        stage.advance(.seconds(1))
        #expect(successor.state == .live)
        let number = stage.beginInvalidation([.key("a")])
        #expect(stage.receipt(number) == nil)
        // It wakes with its lease, and is asked before it hears anything.
        let answer = stage.get(0, "a")
        #expect(answer?.status == .hit, "it may: the receipt is not there")
        stage.advance(.milliseconds(2_200))
        #expect(stage.receipt(number)?.isComplete == true)
        #expect(stage.get(0, "a")?.status == .stale, "its lease is over")
    }
}
