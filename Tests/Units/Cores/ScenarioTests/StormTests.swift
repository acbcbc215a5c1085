import CacheModel
import CacheNodeCore
import CacheWire
import PublisherCore
import Testing

/// Two publishers, and many nodes at once.
@Suite struct StormTests {
    private static func head(_ stage: Stage) -> LogPosition {
        stage.log?.head.position ?? .none
    }

    /// Scenario 20: a publisher is held for dead, another one begins without its log, and then the
    /// first wakes up and goes on talking.
    @Test func whatADeposedPublisherStillSaysIsRefused() {
        let stage = Stage()
        stage.load(0, "a", "old")
        let abandoned = stage.log
        stage.killPublisher()
        stage.startPublisher()
        stage.advance(.seconds(10))
        stage.load(0, "b", "of the successor")
        stage.invalidate(.key("c"))
        let (head, applied) = (Self.head(stage), stage.nodes.map(\.applied))
        #expect(stage.nodes.allSatisfy { $0.state == .live } && applied == [head, head])

        let late = stage.recordsOfDeposed(with: abandoned, [.key("b")])
        #expect(late.contains { $0[3] == MessageType.records.rawValue })
        for node in stage.nodes { node.liveFrames += late }
        stage.advance(.seconds(10))
        #expect(stage.nodes.map(\.applied) == applied)
        #expect(stage.nodes.allSatisfy { $0.state == .live })
        #expect(Self.head(stage) == head, "the successor was not disturbed")
        #expect(stage.get(0, "b")?.status == .hit)
    }

    /// The same where both have the log, and number different records alike: nobody follows two
    /// histories, and what nobody can vouch for is hidden.
    @Test func twoPublishersThatGoOnFromOneRecordAreToldApart() {
        let stage = Stage()
        stage.load(0, "a", "old")
        stage.load(0, "b", "old")
        let shared = stage.log
        let epoch = Self.head(stage).epoch
        stage.killPublisher()
        stage.startPublisher(with: shared)
        stage.advance(.seconds(10))

        let foreign = stage.recordsOfDeposed(with: shared, [.key("b")])
        #expect(foreign.contains { $0[3] == MessageType.records.rawValue })
        stage.nodes[0].liveFrames += foreign
        stage.settle()
        let receipt = stage.invalidate(.key("a"), wait: .none)
        stage.advance(.seconds(10))
        #expect(Self.head(stage).epoch > epoch)
        #expect(receipt != nil && stage.nodes.allSatisfy { $0.state == .live })
        for key in ["a", "b"] { #expect(stage.get(0, key)?.status == .miss) }
    }

    /// Scenario 25: all come back in one moment, and all have missed much. What the publisher
    /// sends in one turn is bounded, and nobody loses a lease over it.
    @Test func manyNodesThatComeBackAtOnceAreServedByAndBy() {
        let count = 40
        let stage = Stage(nodes: count)
        for node in stage.nodes { node.live = .cut }
        let name = String(repeating: "k", count: 200)
        for number in 0..<3_000 { stage.queueInvalidation(.key("\(name)\(number)")) }
        stage.settle()
        #expect(stage.nodes.allSatisfy { $0.applied < Self.head(stage) })
        for node in stage.nodes { node.live = .open }
        stage.mostReplayedInATurn = 0
        stage.advance(.seconds(2))
        #expect(stage.nodes.allSatisfy { $0.applied == Self.head(stage) && $0.state == .live })
        let bound = PublisherLimits.replayTurnBytesMax + PublisherLimits.replayBytesMax
        #expect(stage.mostReplayedInATurn > PublisherLimits.replayBytesMax)
        #expect(stage.mostReplayedInATurn <= bound + count * 64)
    }
}
