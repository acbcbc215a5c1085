import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire
import MartletClient
import TestSupport
import Testing
import Threading

/// Questions to a cluster with several publishers, of which one leads: docs/protocol.md 8.6.
@Suite struct LeaderFollowingTests {
    private static let timeout: Duration = .seconds(30)
    private static let soon: Duration = .seconds(10)

    /// A cluster, and a client that knows its publishers.
    private func withClient<Result>(
        publishers count: Int = 2, seeds: [Int]? = nil,
        _ body: (CacheClient, ScriptedCluster) async throws -> Result
    ) async throws -> Result {
        let cluster = try ScriptedCluster(publishers: count)
        return try await cluster.withClient {
            $0.timeout = Self.timeout
            $0.endpoints = (seeds ?? Array(0..<count)).map { cluster.publishers[$0].endpoint }
        } _: { client in
            try await body(client, cluster)
        }
    }

    private func operations(_ server: ScriptedServer) -> [OperationID] {
        server.script.withLock { script in
            script.seen.filter { $0.type == .invalidate }.map(\.operation)
        }
    }

    private func count(_ type: MessageType, _ server: ScriptedServer) -> Int {
        server.script.withLock { $0.count(type) }
    }

    private func invalidate(_ client: CacheClient) async throws -> InvalidationReceipt {
        try await client.invalidate([Scope(.everything)])
    }

    // MARK: NOT LEADER

    @Test func aQuestionGoesToThePublisherThatIsNamedThoughNoTopologyNamesIt() async throws {
        try await withClient(seeds: [0]) { client, cluster in
            _ = try await client.cluster.topology()
            cluster.publishers[0].script.withLock { $0.denies = cluster.publishers[1].endpoint }
            cluster.publishers[1].script.withLock { ($0.denies, $0.ignoresTopology) = (nil, true) }
            #expect(try await invalidate(client).isComplete)
            let asked = cluster.publishers.map(operations)
            #expect(asked[0].count == 1 && asked[0] == asked[1] && asked[0][0] != .none)
            let bodies = cluster.publishers.map { publisher in
                publisher.script.withLock { $0.seen.first { $0.type == .invalidate }?.bytes }
            }
            #expect(bodies[0] == bodies[1], "the identical message")
        }
    }

    @Test(arguments: ["", "no endpoint", "tcp://127.0.0.1:0", "itself"])
    func withoutAUsableNameTheOtherPublishersAreAsked(name: String) async throws {
        try await withClient { client, cluster in
            _ = try await client.cluster.topology()
            cluster.lead(1)
            let former = cluster.publishers[0]
            let named = name == "itself" ? former.endpoint : name
            former.script.withLock { $0.denies = named }
            let start = ContinuousClock.now
            #expect(try await invalidate(client).isComplete)
            #expect(ContinuousClock.now - start < Self.soon)
            #expect(operations(former) == operations(cluster.publishers[1]))
        }
    }

    @Test func aClientThatKnowsOnlyAStandbyFindsTheLeader() async throws {
        try await withClient(seeds: [1]) { client, cluster in
            let receipt = try await invalidate(client)
            #expect(receipt.isComplete)
            #expect(count(.invalidate, cluster.publishers[1]) == 0)
        }
    }

    @Test func questionsWaitForALeaderAndFewMessagesLookForIt() async throws {
        try await withClient(publishers: 3) { client, cluster in
            _ = try await client.cluster.topology()
            cluster.leadNone()
            let before = cluster.publishers.map { count(.topology, $0) }
            let start = ContinuousClock.now
            let questions = (0..<50).map { _ in Task { try await invalidate(client) } }
            try await eventually("a search is under way") {
                cluster.publishers.allSatisfy { count(.topology, $0) > 3 }
            }
            while ContinuousClock.now - start < .seconds(2) { await breath() }
            for (publisher, old) in zip(cluster.publishers, before) {
                // Twenty in the first second, four in the next.
                #expect(count(.topology, publisher) - old < 40)
                #expect(count(.invalidate, publisher) <= 50, "each of them once at most")
            }
            cluster.lead(2)
            for question in questions { #expect(try await question.value.isComplete) }
            #expect(Set(operations(cluster.publishers[2])).count == 50)
            #expect(count(.invalidate, cluster.publishers[2]) == 50)
        }
    }

    @Test func twoThatNameEachOtherAreAskedWithPauses() async throws {
        try await withClient { client, cluster in
            _ = try await client.cluster.topology()
            let (first, second) = (cluster.publishers[0], cluster.publishers[1])
            first.script.withLock { $0.denies = second.endpoint }
            second.script.withLock { $0.denies = first.endpoint }
            let before = cluster.publishers.map { count(.topology, $0) }.reduce(0, +)
            let error = await failure { () throws(CacheError) in
                try await client.invalidate([Scope(.everything)], timeout: .seconds(1))
            }
            #expect(error?.code == .disconnected && error?.mayHaveHappened == false)
            #expect(error?.message.contains("no publisher leads now") == true, "\(error as Any)")
            let asked = cluster.publishers.map { count(.topology, $0) }.reduce(0, +) - before
            #expect((4...120).contains(asked), "\(asked)")
            #expect(count(.invalidate, first) + count(.invalidate, second) <= 12)
        }
    }

    @Test func withoutALeaderAnUnansweredInvalidationMayHaveHappened() async throws {
        try await withClient { client, cluster in
            _ = try await client.cluster.topology()
            let leader = cluster.publishers[0]
            leader.script.withLock { $0.unansweredCount = 1 }
            async let error = failure { () throws(CacheError) in
                try await client.invalidate([Scope(.everything)], wait: .none, timeout: .seconds(3))
            }
            try await eventually("it was sent") { count(.invalidate, leader) == 1 }
            cluster.leadNone()
            let failed = await error
            #expect(failed?.code == .disconnected && failed?.mayHaveHappened == true)
            #expect(failed?.message.contains("it may have been done") == true, "\(failed as Any)")
        }
    }

    @Test func aClientWithoutAnyTopologySaysThatNoPublisherLeads() async throws {
        try await withClient { client, cluster in
            cluster.leadNone()
            let read = await failure { () throws(CacheError) in
                var options = ReadOptions()
                options.timeout = .seconds(1)
                return try await client.get(Sample.key("k"), options: options)
            }
            #expect(read?.message.contains("no publisher leads now") == true, "\(read as Any)")
            #expect(client.hasAnswer)
        }
    }

    /// Every publisher answers this question; a standby knows no nodes.
    @Test func theStatusIsThatOfTheLeader() async throws {
        try await withClient { client, cluster in
            #expect(try await client.cluster.publisherStatus().name == "p1")
            cluster.lead(1)
            let status = try await client.cluster.publisherStatus()
            #expect(status.name == "p2")
        }
    }

    // MARK: Silence

    @Test func aSilentLeaderIsLeftBeforeTheAttemptIsOver() async throws {
        try await withClient { client, cluster in
            _ = try await client.cluster.topology()
            let former = cluster.publishers[0]
            former.script.withLock { $0.isMute = true }
            defer { former.script.withLock { $0.isMute = false } }
            let start = ContinuousClock.now
            async let receipt = invalidate(client)
            try await eventually("it was sent") { count(.invalidate, former) == 1 }
            cluster.lead(1)
            #expect(try await receipt.isComplete)
            #expect(ContinuousClock.now - start < Self.soon, "of \(Self.timeout)")
            #expect(operations(former) == operations(cluster.publishers[1]))
            // Further questions go there at once.
            let again = ContinuousClock.now
            _ = try await invalidate(client)
            #expect(ContinuousClock.now - again < ClientLimits.publisherSilenceMax)
        }
    }

    @Test func aLeaderThatWasOnlySlowIsFoundAgain() async throws {
        try await withClient { client, cluster in
            _ = try await client.cluster.topology()
            let leader = cluster.publishers[0]
            leader.script.withLock { $0.isMute = true }
            async let receipt = invalidate(client)
            try await eventually("the standby is asked") {
                count(.topology, cluster.publishers[1]) > 2
            }
            leader.script.withLock { $0.isMute = false }
            #expect(try await receipt.isComplete)
            #expect(Set(operations(leader)).count == 1, "one invalidation, however often sent")
            #expect(count(.invalidate, cluster.publishers[1]) == 0)
        }
    }

    /// A receipt may take long. A publisher that answers probes is waited for.
    @Test func aLivingLeaderIsWaitedFor() async throws {
        try await withClient { client, cluster in
            _ = try await client.cluster.topology()
            let leader = cluster.publishers[0]
            leader.script.withLock { $0.isHolding = true }
            async let receipt = invalidate(client)
            let start = ContinuousClock.now
            try await eventually("it is probed") { count(.topology, leader) >= 4 }
            while ContinuousClock.now - start < .seconds(2) { await breath() }
            leader.script.withLock { $0.isHolding = false }
            #expect(try await receipt.isComplete)
            #expect(count(.invalidate, leader) == 1)
            #expect(count(.invalidate, cluster.publishers[1]) == 0)
            #expect(count(.topology, cluster.publishers[1]) == 0, "no other one was looked for")
        }
    }

    @Test func aProbeThatIsAnsweredNotLeaderMovesTheQuestion() async throws {
        try await withClient { client, cluster in
            _ = try await client.cluster.topology()
            let former = cluster.publishers[0]
            former.script.withLock { $0.unansweredCount = 1 }
            async let receipt = invalidate(client)
            try await eventually("it was sent") { count(.invalidate, former) == 1 }
            cluster.lead(1)
            let start = ContinuousClock.now
            #expect(try await receipt.isComplete)
            #expect(ContinuousClock.now - start < Self.soon)
            #expect(operations(former) == operations(cluster.publishers[1]))
        }
    }

    /// The client knows one publisher, and hears of the next one from a node.
    @Test func aQuestionIsRepeatedAtThePublisherThatATopologyNames() async throws {
        let cluster = try ScriptedCluster(publishers: 2)
        try await cluster.withClient {
            $0.timeout = Self.timeout
            $0.endpoints = [cluster.shards[0].endpoint]
        } _: { client in
            _ = try await client.get(Sample.key("k"))
            let former = cluster.publishers[0]
            former.script.withLock { $0.isMute = true }
            defer { former.script.withLock { $0.isMute = false } }
            async let receipt = invalidate(client)
            try await eventually("it was sent") { count(.invalidate, former) == 1 }
            cluster.lead(1)
            let start = ContinuousClock.now
            // The node answers with another version of the topology.
            _ = try await client.get(Sample.key("k"))
            #expect(try await receipt.isComplete)
            #expect(ContinuousClock.now - start < Self.soon)
            #expect(operations(former) == operations(cluster.publishers[1]))
        }
    }

    @Test func aLeaderThatIsGoneIsReplaced() async throws {
        let dead = try ScriptedCluster.deadEndpoint()
        let cluster = try ScriptedCluster(publishers: 2)
        cluster.state.withLock { $0.control = dead }
        cluster.publishers[1].script.withLock { $0.denies = dead }
        try await cluster.withClient {
            $0.timeout = Self.timeout
            $0.endpoints = [cluster.shards[0].endpoint, cluster.publishers[1].endpoint]
        } _: { client in
            _ = try await client.cluster.topology()
            let start = ContinuousClock.now
            async let receipt = invalidate(client)
            try await eventually("the standby is asked") {
                count(.topology, cluster.publishers[1]) > 0
            }
            cluster.lead(1)
            #expect(try await receipt.isComplete)
            #expect(ContinuousClock.now - start < Self.soon)
        }
    }

    // MARK: One publisher

    /// Neither a node nor another name of the publisher is another publisher.
    @Test(arguments: [false, true])
    func theOnlyPublisherGetsNoFurtherMessage(hasOtherName: Bool) async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient {
            $0.timeout = Self.timeout
            $0.endpoints = [
                cluster.publisher.endpoint,
                hasOtherName ? cluster.publisher.otherName : cluster.shards[0].endpoint,
            ]
        } _: { client in
            _ = try await client.cluster.topology()
            cluster.publisher.script.withLock { $0.isHolding = true }
            async let receipt = invalidate(client)
            let start = ContinuousClock.now
            while ContinuousClock.now - start < .seconds(2) { await breath() }
            cluster.publisher.script.withLock { $0.isHolding = false }
            #expect(try await receipt.isComplete)
            let seen = cluster.publisher.script.withLock { $0.seen.map(\.type) }
            #expect(seen == [.topology, .invalidate])
            #expect(cluster.shards[0].script.withLock { $0.seen.isEmpty })
        }
    }

    // MARK: Topologies that contradict each other

    /// Its own word and that of a node are older than the new leader's.
    @Test func aFormerLeaderDoesNotComeBackByATopology() async throws {
        try await withClient { client, cluster in
            _ = try await client.cluster.topology()
            let (former, leader) = (cluster.publishers[0], cluster.publishers[1])
            cluster.lead(1)
            #expect(try await invalidate(client).isComplete)
            try await eventually("the client knows the new one") {
                try await client.cluster.topology().controlEndpoint == leader.endpoint
            }
            // It does not know yet that another one has won, and the node has not changed yet.
            former.script.withLock { $0.claimsTopology = true }
            cluster.state.withLock { $0.control = former.endpoint }
            leader.script.withLock { $0.claimsTopology = true }
            leader.script.withLock { $0.denies = "" }
            for _ in 0..<5 {
                let told = try await client.cluster.topology(isRefreshed: true)
                #expect(told.controlEndpoint == leader.endpoint)
            }
            leader.script.withLock { ($0.denies, $0.claimsTopology) = (nil, false) }
            cluster.state.withLock { $0.control = leader.endpoint }
            let before = count(.invalidate, former)
            #expect(try await invalidate(client).isComplete)
            #expect(count(.invalidate, former) == before)
        }
    }

    @Test func whatAFormerLeaderClaimsIsUsedWhenTheOtherOneIsGone() async throws {
        try await withClient { client, cluster in
            _ = try await client.cluster.topology()
            cluster.lead(1)
            #expect(try await invalidate(client).isComplete)
            cluster.lead(0)
            let start = ContinuousClock.now
            cluster.publishers[1].script.withLock { $0.isMute = true }
            defer { cluster.publishers[1].script.withLock { $0.isMute = false } }
            #expect(try await invalidate(client).isComplete)
            #expect(ContinuousClock.now - start < Self.soon)
            #expect(count(.invalidate, cluster.publishers[0]) == 2)
        }
    }

    // MARK: Stepping down

    @Test func steppingDownReportsBothPublishers() async throws {
        try await withClient(publishers: 3) { client, cluster in
            cluster.publishers[0].script.withLock {
                $0.stepDown = { [weak cluster] in cluster?.leadNone() }
            }
            async let change = client.cluster.stepDown()
            try await eventually("it was ordered") {
                count(.stepDown, cluster.publishers[0]) == 1
            }
            cluster.lead(2)
            let done = try await change
            #expect(done.former.name == "p1" && done.leader.name == "p3")
            #expect(done.former.controlEndpoint == cluster.publishers[0].endpoint)
            #expect(done.leader.controlEndpoint == cluster.publishers[2].endpoint)
            #expect(done.elapsed > .zero && done.elapsed < Self.soon)
            #expect(cluster.publishers.map { count(.stepDown, $0) } == [1, 0, 0])
        }
    }

    /// A repetition of the order could depose the next leader.
    @Test func anUnansweredOrderIsNotRepeated() async throws {
        try await withClient { client, cluster in
            let former = cluster.publishers[0]
            former.script.withLock {
                $0.stepDown = { [weak former] in former?.script.withLock { $0.isMute = true } }
            }
            defer { former.script.withLock { $0.isMute = false } }
            async let change = client.cluster.stepDown()
            try await eventually("it was ordered") { count(.stepDown, former) == 1 }
            cluster.lead(1)
            #expect(try await change.leader.name == "p2")
            #expect(cluster.publishers.map { count(.stepDown, $0) } == [1, 0])
        }
    }

    @Test func theOnlyPublisherDoesNotStepDown() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            let error = await failure { () throws(CacheError) in
                try await client.cluster.stepDown()
            }
            #expect(error?.code == .refused && error?.mayHaveHappened == false)
            #expect(error?.message.contains("one publisher") == true, "\(error as Any)")
        }
    }

    @Test func withoutASuccessorTheCallSaysWhatWasOrdered() async throws {
        try await withClient { client, cluster in
            cluster.publishers[0].script.withLock {
                $0.stepDown = { [weak cluster] in cluster?.leadNone() }
            }
            let gone = await failure { () throws(CacheError) in
                try await client.cluster.stepDown(timeout: .seconds(1))
            }
            #expect(gone?.code == .timedOut && gone?.mayHaveHappened == true)
            #expect(gone?.message.contains("no publisher leads now") == true, "\(gone as Any)")
            cluster.lead(0)
            cluster.publishers[0].script.withLock { $0.stepDown = {} }
            let stays = await failure { () throws(CacheError) in
                try await client.cluster.stepDown(timeout: .seconds(2))
            }
            #expect(stays?.message.contains("leads all the same") == true, "\(stays as Any)")
        }
    }
}
