import CacheModel
import CacheWire
import MartletClient
import Testing
import Threading

/// Listing and invalidating by a pattern, against small servers.
@Suite(.timeLimit(.minutes(1))) struct CacheClientPatternsTests {
    private func glob(_ text: String) throws -> KeyGlob { try KeyGlob(Array(text.utf8)) }

    /// Stores `k0` to `k11`: two of them end with 1.
    private func fill(_ client: CacheClient) async throws {
        let items = (0..<12).map { StoreItem(Sample.key("k\($0)"), [1]) }
        for result in await client.set(items) { _ = try result.get() }
    }

    private func keys(of cluster: ScriptedCluster) -> Set<[UInt8]> {
        cluster.shards.reduce(into: []) { all, shard in
            all.formUnion(shard.store.withLock { $0.keys })
        }
    }

    private func count(_ type: MessageType, at server: ScriptedServer) -> Int {
        server.script.withLock { $0.count(type) }
    }

    @Test func aScanListsWhatMatches() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        try await cluster.withClient { client in
            try await fill(client)
            var found: Set<CacheKey> = []
            for try await entry in client.cluster.scan(
                .namespace(.default), matching: try glob("k*1"))
            {
                found.insert(entry.key)
            }
            #expect(found == [Sample.key("k1"), Sample.key("k11")])
        }
    }

    @Test func whatMatchesIsInvalidatedAndTheRestStays() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        try await cluster.withClient { client in
            try await fill(client)
            let result = try await client.invalidate(keysMatching: glob("k*1"))
            #expect(result.isComplete && result.keyCount == 2 && result.invalidatedCount == 2)
            #expect(result.nodes.map(\.id) == [Sample.node("n0"), Sample.node("n1")])
            let listed = result.nodes.map(\.listedCount).reduce(0, +)
            #expect(listed == 12 && result.nodes.allSatisfy(\.isScanned))
            #expect(result.position == cluster.head)
            #expect(keys(of: cluster).count == 10)
            #expect(keys(of: cluster).isDisjoint(with: [Sample.bytes("k1"), Sample.bytes("k11")]))
        }
    }

    @Test func replicasAreAllScannedAndAKeyOfAllIsInvalidatedOnce() async throws {
        let cluster = try ScriptedCluster(.replicated, nodes: 3)
        var page = ScanPage(nextCursor: 0, entryCount: 1, entryBytes: 1)
        page.lines = [
            ScanPage.Line(key: Sample.key("k1"), valueBytes: 1, ttlMilliseconds: nil)
        ]
        for shard in cluster.shards { shard.script.withLock { $0.page = page } }
        try await cluster.withClient { client in
            let result = try await client.invalidate(keysMatching: glob("k?"))
            #expect(result.isComplete && result.keyCount == 1 && result.recordCount == 1)
            #expect(result.nodes.map(\.matchedCount) == [1, 1, 1])
            #expect(count(.invalidate, at: cluster.publisher) == 1)
        }
    }

    @Test func aDryRunInvalidatesNothing() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        try await cluster.withClient { client in
            try await fill(client)
            var options = PatternInvalidationOptions()
            options.isDryRun = true
            let result = try await client.invalidate(
                keysMatching: glob("k*1"), options: options)
            #expect(result.isComplete && result.keyCount == 2 && result.invalidatedCount == 0)
            #expect(result.position == nil && count(.invalidate, at: cluster.publisher) == 0)
            #expect(keys(of: cluster).count == 12)
        }
    }

    @Test func anUnreachableNodeIsReportedAndTheOthersAreInvalidated() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        let dead = try ScriptedCluster.deadEndpoint()
        try await cluster.withClient { client in
            try await fill(client)
            let own = cluster.shards[0].store.withLock { $0.keys }.count
            try #require(own > 0 && own < 12)
            cluster.state.withLock {
                $0.endpoints[1] = dead
                $0.version += 1
            }
            try await cluster.withClient {
                $0.timeout = .milliseconds(300)
            } _: { client in
                let result = try await client.invalidate(keysMatching: glob("k*"))
                #expect(!result.isComplete && result.failure == nil)
                #expect(result.invalidatedCount == own)
                #expect(result.nodes.map(\.isScanned) == [true, false])
                #expect(result.nodes[0].problem == nil && result.nodes[1].problem != nil)
            }
        }
    }

    @Test func aNodeWithANonAdvancingCursorIsSkipped() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        cluster.shards[0].script.withLock {
            $0.page = ScanPage(nextCursor: 7, entryCount: 1, entryBytes: 1)
        }
        try await cluster.withClient { client in
            let result = try await client.invalidate(keysMatching: glob("k*"))
            #expect(!result.isComplete && result.nodes.map(\.isScanned) == [false, true])
            #expect(result.nodes[0].problem?.contains("does not lead on") == true)
        }
        #expect(count(.scan, at: cluster.shards[0]) == 2)
    }

    @Test func aPublisherThatRefusesEndsTheRunAndNothingIsClaimed() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            try await fill(client)
            cluster.publisher.script.withLock {
                $0.busyMessageCount = .max
                $0.busyMilliseconds = 60_000
            }
            let result = try await client.invalidate(keysMatching: glob("k*"))
            #expect(!result.isComplete && result.failure?.code == .busy)
            #expect(result.invalidatedCount == 0 && result.inDoubtCount == 0)
            #expect(result.position == nil && keys(of: cluster).count == 12)
        }
        #expect(count(.invalidate, at: cluster.publisher) == 3, "three attempts")
    }

    @Test func aRecordThatIsNotAnsweredAtFirstIsSentAgain() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            try await fill(client)
            cluster.publisher.script.withLock { $0.unansweredCount = 1 }
            var options = PatternInvalidationOptions()
            options.wait = .none
            let result = try await client.invalidate(
                keysMatching: glob("k*"), options: options)
            #expect(result.isComplete && result.invalidatedCount == 12)
        }
        #expect(count(.invalidate, at: cluster.publisher) == 2)
    }

    @Test func aReceiptThatIsNotCompleteMakesTheRunIncomplete() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            try await fill(client)
            cluster.publisher.script.withLock { $0.silentCount = 1 }
            let result = try await client.invalidate(keysMatching: glob("k*"))
            #expect(!result.isComplete && result.incompleteCount == 1)
            #expect(result.invalidatedCount == 12 && result.nodes.allSatisfy(\.isScanned))
        }
    }

    // MARK: States of nodes

    /// Runs a dry run on two nodes, and `change` after its first page.
    private func dryRun(
        of cluster: ScriptedCluster, change: (inout ScriptedCluster.State) -> Void = { _ in }
    ) async throws -> PatternInvalidation {
        try await cluster.withClient { client in
            var options = PatternInvalidationOptions()
            options.isDryRun = true
            var isChanged = false
            return try await client.invalidate(keysMatching: glob("k*"), options: options) { _ in
                if !isChanged { cluster.state.withLock { change(&$0) } }
                isChanged = true
            }
        }
    }

    @Test(arguments: [false, true])
    func aNodeWithoutALeaseIsNamedAlsoWithoutTheRoleMetrics(refusesStatus: Bool) async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        cluster.publisher.script.withLock { $0.refusesStatus = refusesStatus }
        let complete = try await dryRun(of: cluster)
        #expect(complete.isComplete, "\(complete.nodes)")
        let ended = try await dryRun(of: cluster) { $0.states[1] = .suspect }
        #expect(!ended.isComplete && ended.nodes.allSatisfy(\.isScanned))
        #expect(ended.nodes[0].problem == nil, "\(ended.nodes)")
        #expect(ended.nodes[1].problem?.contains("SUSPECT") == true, "\(ended.nodes)")
        let begun = try await dryRun(of: cluster) { $0.states[1] = .live }
        #expect(!begun.isComplete && begun.nodes[1].problem?.contains("SUSPECT") == true)
    }

    @Test func aNodeThatIsRestartedDuringTheScanIsNamed() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        let result = try await dryRun(of: cluster) { $0.incarnations[0] = 2 }
        #expect(!result.isComplete && result.nodes.allSatisfy(\.isScanned))
        #expect(result.nodes.map(\.problem) == ["it was restarted meanwhile", nil])
    }

    @Test func aNodeThatJoinsDuringTheScanIsMissing() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        let dead = try ScriptedCluster.deadEndpoint()
        let result = try await dryRun(of: cluster) { $0.endpoints.append(dead) }
        #expect(!result.isComplete && result.nodes.map(\.isScanned) == [true, true, false])
        #expect(result.nodes.map(\.id).last == Sample.node("n2"))
        #expect(result.nodes.last?.problem == "it has joined the cluster meanwhile")
    }

    @Test func aPublisherThatDoesNotAnswerLeavesEveryStateUnknown() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        let result = try await dryRun(of: cluster) { _ in
            cluster.publisher.script.withLock { $0.ignoresTopology = true }
        }
        #expect(!result.isComplete && result.nodes.allSatisfy(\.isScanned))
        for node in result.nodes {
            #expect(node.problem?.hasPrefix("its state is not known: ") == true, "\(node)")
        }
    }

    /// Six pages, then the end: what is left is the last question for states.
    @Test func aCallThatIsCancelledInTheLastCheckWasStopped() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            try await fill(client)
            let result = try await Task {
                var options = PatternInvalidationOptions()
                options.isDryRun = true
                var stepCount = 0
                return try await client.invalidate(
                    keysMatching: glob("k*"), options: options
                ) { _ in
                    stepCount += 1
                    if stepCount == 7 { withUnsafeCurrentTask { $0?.cancel() } }
                }
            }.value
            #expect(result.wasStopped && !result.isComplete)
            #expect(result.keyCount == 12 && result.nodes.allSatisfy { $0.problem == nil })
        }
    }

    // MARK: Stopping

    /// One key a record, four a second: the second is never sent.
    @Test func aCallThatIsCancelledFinishesTheRecordAndSendsNoOther() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            try await fill(client)
            let result = try await Task {
                var options = PatternInvalidationOptions()
                options.keysPerSecond = 4
                return try await client.invalidate(
                    keysMatching: glob("k*"), options: options
                ) { state in
                    guard state.invalidatedCount == 1 else { return }
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }.value
            #expect(result.wasStopped && !result.isComplete && result.failure == nil)
            #expect(result.invalidatedCount == 1 && result.inDoubtCount == 0)
        }
        #expect(count(.invalidate, at: cluster.publisher) == 1)
    }

    @Test(arguments: [0, 1_000_001])
    func aRateOutsideOfItsBoundsIsRefused(rate: Int) async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            var options = PatternInvalidationOptions()
            options.keysPerSecond = rate
            let error = await failure { () throws(CacheError) in
                try await client.invalidate(keysMatching: self.any(), options: options)
            }
            #expect(error?.code == .invalidArgument)
        }
    }

    private func any() throws(CacheError) -> KeyGlob {
        do {
            return try KeyGlob([UInt8(ascii: "*")])
        } catch {
            preconditionFailure("a star is a pattern")
        }
    }
}
