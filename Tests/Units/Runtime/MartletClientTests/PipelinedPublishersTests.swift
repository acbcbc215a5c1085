import CacheModel
import CacheWire
@testable import MartletClient
import TestSupport
import Testing
import Threading

/// Invalidations over a pipelined connection to several publishers: docs/protocol.md 8.6.
@Suite struct PipelinedPublishersTests {
    private func withKey<Result>(
        _ text: String, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        Sample.bytes(text).withUnsafeBytes(body)
    }

    /// Invalidates until a receipt comes; what came before it.
    private func outcomesUntilDone(
        _ connection: inout PipelinedConnection
    ) throws -> [PipelinedOutcome] {
        var outcomes: [PipelinedOutcome] = []
        let end = ContinuousClock.now + .seconds(20)
        while outcomes.last != .invalidated, ContinuousClock.now < end {
            let isTaken = withKey("a") { connection.submitInvalidate(key: $0, tag: 1) }
            try #require(isTaken)
            connection.flush()
            var count = 0
            while count == 0 {
                count = try connection.takeCompletions(limit: 64, timeout: .milliseconds(100)) {
                    outcomes.append($0.outcome)
                }
                if count == 0 {
                    count = connection.giveUp(sentBefore: MonotonicClock.now) {
                        outcomes.append($0.outcome)
                    }
                }
            }
        }
        return outcomes
    }

    /// - Parameter seeds: `nil`: all publishers of the cluster.
    private func connect(
        to cluster: ScriptedCluster, seeds: [String]? = nil, window: Int = 16, batch: Int = 1
    ) throws -> PipelinedConnection {
        var options = PipelinedConnection.Options()
        options.invalidations = PipelinedConnection.Invalidations()
        options.invalidations?.window = window
        options.invalidations?.batch = batch
        return try PipelinedConnection(
            endpoints: seeds ?? cluster.publishers.map(\.endpoint), options: options)
    }

    /// Takes so many completions, or fails.
    private func take(
        _ connection: inout PipelinedConnection, _ count: Int
    ) throws -> [UInt32: PipelinedOutcome] {
        var outcomes: [UInt32: PipelinedOutcome] = [:]
        while outcomes.count < count {
            let taken = try connection.takeCompletions(limit: 64, timeout: .seconds(5)) {
                #expect(outcomes.updateValue($0.outcome, forKey: $0.tag) == nil, "each ends once")
            }
            try #require(taken > 0, "an answer comes")
        }
        return outcomes
    }

    private func submit(
        _ tags: Range<UInt32>, _ connection: inout PipelinedConnection, isFlushed: Bool = true
    ) throws {
        for tag in tags {
            let isTaken = withKey("\(tag)") { connection.submitInvalidate(key: $0, tag: tag) }
            try #require(isTaken)
        }
        if isFlushed { connection.flush() }
    }

    private func count(_ server: ScriptedServer) -> Int {
        server.script.withLock { $0.count(.invalidate) }
    }

    @Test(arguments: [true, false])
    func theNextPublisherIsAskedAfterNotLeader(isNamed: Bool) throws {
        let cluster = try ScriptedCluster(publishers: 2)
        var connection = try connect(to: cluster)
        #expect(try outcomesUntilDone(&connection) == [.invalidated])
        cluster.lead(1)
        if !isNamed { cluster.publishers[0].script.withLock { $0.denies = "" } }
        let outcomes = try outcomesUntilDone(&connection)
        #expect(outcomes.first == .busy && outcomes.last == .invalidated, "\(outcomes)")
        #expect(try outcomesUntilDone(&connection) == [.invalidated])
    }

    @Test func theNextPublisherIsAskedAfterSilence() throws {
        let cluster = try ScriptedCluster(publishers: 2)
        var connection = try connect(to: cluster)
        #expect(try outcomesUntilDone(&connection) == [.invalidated])
        cluster.lead(1)
        cluster.publishers[0].script.withLock { $0.isMute = true }
        defer { cluster.publishers[0].script.withLock { $0.isMute = false } }
        let outcomes = try outcomesUntilDone(&connection)
        #expect(outcomes.first == .lost && outcomes.last == .invalidated, "\(outcomes)")
    }

    @Test func aStandbyLeadsToTheTopology() throws {
        let cluster = try ScriptedCluster(publishers: 2)
        var connection = try connect(to: cluster, seeds: [cluster.publishers[1].endpoint])
        #expect(try outcomesUntilDone(&connection) == [.invalidated])
        #expect(cluster.publishers[1].script.withLock { $0.count(.invalidate) } == 0)
    }

    @Test func notLeaderToWhatMayHaveBeenDoneIsNoBusy() throws {
        let cluster = try ScriptedCluster(publishers: 2)
        var connection = try connect(to: cluster)
        cluster.lead(1)
        cluster.publishers[0].script.withLock { $0.deniesInDoubt = true }
        let outcomes = try outcomesUntilDone(&connection)
        #expect(outcomes.first == .refused && outcomes.last == .invalidated, "\(outcomes)")
    }

    /// Several answers NOT LEADER lie in the socket when the first one is read.
    @Test func aChangeInTheMiddleOfTheAnswersEndsEachMessageOnce() async throws {
        let cluster = try ScriptedCluster(publishers: 2)
        var connection = try connect(to: cluster, window: 8, batch: 2)
        let former = cluster.publishers[0]
        former.script.withLock { $0.isHolding = true }
        cluster.lead(1)
        try submit(0..<16, &connection)
        try await eventually("all are answered") { count(former) == 8 }
        former.script.withLock { $0.isHolding = false }
        // It has sent them once it answers this one.
        _ = try connect(to: cluster, seeds: [former.endpoint])
        let denied = try take(&connection, 16)
        #expect(denied.values.allSatisfy { $0 == .busy || $0 == .lost }, "\(denied)")
        // The next message begins in a place of these, and is not sent yet.
        try submit(16..<17, &connection, isFlushed: false)
        #expect(try connection.takeCompletions(limit: 64, timeout: .zero) { _ in } == 0)
        try submit(17..<18, &connection)
        #expect(Set(try take(&connection, 2).keys) == [16, 17])
        #expect(try outcomesUntilDone(&connection).last == .invalidated)
    }

    /// The record is full, cannot be sent, and the publisher is replaced before the next begins.
    @Test func whatBeginsAfterAChangeGoesToTheNextPublisher() throws {
        let cluster = try ScriptedCluster(publishers: 2)
        let dead = try ScriptedCluster.deadEndpoint()
        cluster.state.withLock { $0.control = dead }
        let next = cluster.publishers[1]
        next.script.withLock { $0.denies = nil }
        var connection = try connect(to: cluster, seeds: [next.endpoint], batch: 1_000)
        for tag in UInt32(0)..<16 {
            let key = Array(repeating: UInt8(tag), count: 4_000)
            let isTaken = key.withUnsafeBytes { connection.submitInvalidate(key: $0, tag: tag) }
            try #require(isTaken)
        }
        connection.flush()
        let outcomes = try take(&connection, 16)
        #expect(outcomes[0] == .lost && outcomes.count == 16, "\(outcomes)")
        #expect(try outcomesUntilDone(&connection).last == .invalidated)
        #expect(count(next) > 0)
    }

    @Test func anEndpointThatCannotBeConnectedToIsPassedOver() throws {
        let cluster = try ScriptedCluster(publishers: 2)
        let (former, next) = (cluster.publishers[0], cluster.publishers[1])
        var connection = try connect(
            to: cluster, seeds: [former.endpoint, "tcp://127.0.0.1:0", next.endpoint])
        #expect(try outcomesUntilDone(&connection) == [.invalidated])
        cluster.lead(1)
        former.script.withLock { $0.denies = "" }
        #expect(try outcomesUntilDone(&connection).last == .invalidated)
        #expect(count(next) > 0)
    }

    /// A node would answer, with an error.
    @Test func theOnlyPublisherIsNotReplacedByAnotherNameOfANode() throws {
        let cluster = try ScriptedCluster()
        let (publisher, node) = (cluster.publisher, cluster.shards[0])
        var connection = try connect(to: cluster, seeds: [publisher.endpoint, node.otherName])
        publisher.script.withLock { $0.unansweredCount = 1 }
        try submit(0..<1, &connection)
        var lost = 0
        while lost == 0 { lost = connection.giveUp(sentBefore: MonotonicClock.now) { _ in } }
        try submit(1..<2, &connection)
        #expect(try take(&connection, 1) == [1: .invalidated])
        #expect(count(publisher) == 2 && count(node) == 0)
    }

    @Test func aNodeByAnotherNameIsLeftForAPublisher() throws {
        let cluster = try ScriptedCluster(publishers: 2)
        let publisher = cluster.publishers[0]
        var connection = try connect(
            to: cluster, seeds: [publisher.endpoint, cluster.shards[0].otherName])
        #expect(try outcomesUntilDone(&connection) == [.invalidated])
        cluster.leadNone()
        while count(cluster.shards[0]) == 0 {
            try submit(0..<1, &connection)
            _ = try take(&connection, 1)
        }
        cluster.lead(0)
        #expect(try outcomesUntilDone(&connection).last == .invalidated)
    }

    @Test func aPublisherThatAnswersOthersIsKeptAfterALoss() async throws {
        let cluster = try ScriptedCluster(publishers: 2)
        var connection = try connect(to: cluster)
        let publisher = cluster.publishers[0]
        publisher.script.withLock { $0.unansweredCount = 1 }
        try submit(0..<1, &connection)
        try await eventually("it came") { count(publisher) == 1 }
        try submit(1..<2, &connection)
        #expect(try take(&connection, 1) == [1: .invalidated])
        publisher.script.withLock { $0.isHolding = true }
        let moment = MonotonicClock.now
        try submit(2..<3, &connection)
        var lost: [UInt32] = []
        _ = connection.giveUp(sentBefore: moment) { lost.append($0.tag) }
        #expect(lost == [0])
        publisher.script.withLock { $0.isHolding = false }
        #expect(try take(&connection, 1) == [2: .invalidated])
        #expect(count(cluster.publishers[1]) == 0)
    }

    // MARK: The window

    /// A late answer ends a lost message before the loss is reported, and its place is taken anew.
    @Test func aLossIsNotReportedOfTheNextMessageInThatPlace() throws {
        var window = PipelineWindow(messages: 1, batch: 1)
        let claimed = window.claim()
        let (place, id) = try #require(claimed)
        window.note(7, at: place, index: 0)
        window.sent(place, count: 1, at: Instant(nanoseconds: 5))
        #expect(window.loseAll(sentBefore: Instant(nanoseconds: 5)) == nil)
        #expect(window.loseAll(sentBefore: Instant(nanoseconds: 6)) == Instant(nanoseconds: 5))
        #expect(window.close(requestID: id) != nil)
        let again = window.claim()
        let next = try #require(again)
        #expect(window.tellLost { _ in Issue.record("it was answered") } == 0)
        #expect(window.openCount == 1 && window.close(requestID: next.requestID) != nil)
    }
}
