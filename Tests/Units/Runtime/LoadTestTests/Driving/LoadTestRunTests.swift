import CacheWire
import CacheWorkload
import Histogram
import Testing

@testable import LoadTest

/// Whole runs, against nodes that do what a script says.
@Suite(.serialized) struct LoadTestRunTests {
    private static func phase(
        _ name: String = "steady", _ mix: OperationMix = .only(.get), for duration: Duration
    ) -> WorkloadPhase {
        var phase = WorkloadPhase(name: name)
        phase.mix = mix
        phase.keyCount = 300
        phase.inFlightMax = 32
        phase.duration = duration
        return phase
    }

    private static func plan(_ phases: [WorkloadPhase]) -> LoadTestPlan {
        var plan = LoadTestPlan(Workload(phases: phases))
        plan.timeout = .seconds(5)
        return plan
    }

    private static func run(
        _ script: NodeScript, _ plan: LoadTestPlan
    ) throws -> (RunFigures, [NodeSeen]) {
        let cluster = try ScriptedCluster(script)
        defer { cluster.stop() }
        var plan = plan
        plan.endpoints = cluster.endpoints
        let figures = try LoadTestRun(plan).run()
        return (figures, cluster.seen)
    }

    /// Half a second at 1 000 a second: 500 were due meanwhile and waited from half a second down
    /// to nothing. Counted from sending, 32 would have waited.
    @Test func aStandstillIsInTheLatenciesOfAllThatWereDue() throws {
        var script = NodeScript()
        script.standstill = (.milliseconds(600), .milliseconds(500))
        var phase = Self.phase(for: .seconds(2))
        phase.loop = .open(perSecond: 1_000, .constant)
        let (figures, _) = try Self.run(script, Self.plan([phase]))
        let measured = try #require(figures.phases.first)
        let slowCount = measured.latency.count(within: 250_000_000...3_600_000_000_000)
        #expect(slowCount >= 200, "\(slowCount) of \(measured.latency.totalCount)")
        #expect(try #require(measured.latency.known(99)) > 300_000_000)
        let schedule = try #require(measured.schedule)
        #expect(schedule.dueCount >= 1_990, "also what was due in the last turn")
        #expect(!schedule.isInTime && !schedule.isKept)
        #expect(measured.generator.limit != .schedule)
    }

    @Test func eachNodeThatAnswersForEveryKeyIsAsked() throws {
        let script = NodeScript(kind: .replicated, nodeCount: 3)
        let (figures, seen) = try Self.run(script, Self.plan([Self.phase(for: .milliseconds(300))]))
        #expect(seen.allSatisfy { !$0.gets.isEmpty }, "\(seen.map(\.gets.count))")
        #expect(figures.workers.first?.threadCount == 3)
        #expect(figures.workers.first?.askedNodes == WorkerFigures.AskedNodes(3, of: 3))
        #expect(!figures.cautions.contains { $0.sentence.contains("nodes that answer") })
    }

    /// The node that lost them answers BUSY, and names another version of the topology.
    @Test func keysThatMoveToAnotherNodeAreRequestedThereWithoutAnError() throws {
        var script = NodeScript(nodeCount: 2)
        script.movesAfter = 400
        var phase = Self.phase(for: .seconds(1))
        phase.loop = .open(perSecond: 2_000, .constant)
        let (figures, seen) = try Self.run(script, Self.plan([phase]))
        let measured = try #require(figures.phases.first)
        #expect(measured.errorCount == 0, "\(measured.errors)")
        #expect(measured.repeatedCount > 0)
        #expect(measured.hitCount == measured.keyCount)
        #expect(seen.allSatisfy { !$0.gets.isEmpty }, "\(seen.map(\.gets.count))")
    }

    /// By asking for all, and storing what is missing.
    @Test func aFillRequestsEveryKeyFromEachReplica() throws {
        var fill = Self.phase("fill", for: .seconds(1))
        fill.isFill = true
        var plan = Self.plan([fill])
        plan.threadCount = 4
        let (_, seen) = try Self.run(NodeScript(kind: .replicated, nodeCount: 3), plan)
        #expect(seen.map { $0.gets.reduce(0, +) } == [300, 300, 300])
        #expect(seen.allSatisfy { $0.sets.isEmpty }, "they have everything")
    }

    @Test func oneRequestInFlightLeavesOtherNodesOutAndSaysSo() throws {
        var phase = Self.phase(for: .milliseconds(200))
        phase.inFlightMax = 1
        let script = NodeScript(kind: .replicated, nodeCount: 2)
        let (figures, _) = try Self.run(script, Self.plan([phase]))
        #expect(
            figures.cautions.contains {
                $0.sentence.hasPrefix("Of 2 nodes that answer for every key 1 was asked")
            })
    }

    @Test func aWarmUpWarmsTheSocketsThatAreMeasured() throws {
        var warmUp = Self.phase("warm", for: .milliseconds(200))
        warmUp.isWarmUp = true
        warmUp.inFlightMax = 4
        let phases = [
            warmUp, Self.phase(for: .milliseconds(200)),
            Self.phase("changes", .reads(0.9), for: .milliseconds(200)),
        ]
        let (figures, seen) = try Self.run(NodeScript(), Self.plan(phases))
        #expect(figures.phases.count == 3)
        #expect(seen[0].askers.count == 1)
        #expect(figures.total.seconds < 0.5, "the warm-up is in no total")
    }

    /// The second phase needs another connection, and nobody is there any more.
    @Test func whatWasMeasuredBeforeTheClusterWasLostIsKept() throws {
        var first = Self.phase("first", for: .seconds(10))
        first.operationCount = 200
        var second = Self.phase("second", for: .seconds(1))
        second.batch = 8
        var script = NodeScript()
        script.lookupsMax = 200
        var plan = Self.plan([first, second])
        // Longer than a busy machine keeps an answer back: what is too late is not good.
        plan.timeout = .milliseconds(1_500)
        let (figures, _) = try Self.run(script, plan)
        #expect(figures.phases.map(\.name) == ["first"])
        // What was on its way when the node went, it may have taken along.
        #expect(figures.phases.first?.goodKeyCount ?? 0 >= 200 - first.inFlightMax)
        #expect(try #require(figures.failure).contains("cannot be reached"))
        #expect(figures.cautions.contains { $0.sentence.contains("ended early") })
    }

    @Test(arguments: [16, 64])
    func messagesOfABatchAreFull(inFlight: Int) throws {
        var phase = Self.phase("steady", .reads(0.9), for: .milliseconds(500))
        phase.batch = 16
        phase.inFlightMax = inFlight
        phase.distribution = .uniform
        let (_, seen) = try Self.run(NodeScript(nodeCount: 3), Self.plan([phase]))
        for messages in [seen.flatMap(\.gets), seen.flatMap(\.sets)] {
            let full = messages.count { $0 == 16 }
            // The last ones go out as they are.
            #expect(messages.count - full <= 3, "\(full) of \(messages.count)")
            #expect(full > 10)
        }
    }

    @Test(arguments: [1, 8])
    func aRecordHasNoMoreKeysThanAnyOtherMessage(batch: Int) throws {
        var phase = Self.phase("steady", .only(.invalidate), for: .milliseconds(300))
        phase.batch = batch
        let (figures, seen) = try Self.run(NodeScript(), Self.plan([phase]))
        #expect(try #require(seen[0].invalidations.max()) <= batch)
        let invalidations = try #require(figures.phases.first?.operations.first)
        #expect(invalidations.operationCount == UInt64(seen[0].invalidations.count))
        #expect(invalidations.keyCount == UInt64(seen[0].invalidations.reduce(0, +)))
    }

    @Test func theSlowestReceiptsAreWaitedFor() throws {
        var script = NodeScript()
        script.receiptDelay = .milliseconds(300)
        var plan = Self.plan([Self.phase(for: .milliseconds(500))])
        plan.invalidationsPerSecond = 100
        let (figures, seen) = try Self.run(script, plan)
        let phase = try #require(figures.phases.first)
        let ordered = seen[0].invalidations.reduce(0, +)
        #expect(ordered >= 45)
        #expect(phase.invalidationLatency.totalCount == UInt64(ordered))
        #expect(phase.seconds < 0.6, "the load did not wait for them")
    }

    /// One phase verifies, the other does not: each asks for keys of its own.
    @Test func onlyAPhaseThatVerifiesIsVerified() throws {
        var plan = Self.plan([
            Self.phase("plain", for: .milliseconds(200)),
            Self.phase("other", .reads(0.5), for: .milliseconds(200)),
        ])
        plan.workload.phases[1].verifies = true
        plan.threadCount = 2
        let (figures, _) = try Self.run(NodeScript(), plan)
        // The script knows nothing of verified values: all that it shows is damaged.
        #expect(figures.phases.first?.errorCount == 0)
        #expect(try #require(figures.verification).violationCount > 0)
        #expect(figures.verification?.violations.first?.phase == "other")
    }

    @Test func anEchoServerHasTheRequestedShardsAndLimitsTheRun() throws {
        let echo = try EchoServer(shardCount: 3, valueBytes: 10)
        let layout = TopologyQuestion.layout(echo.endpoints, timeout: .seconds(5))
        echo.stop()
        #expect(layout?.nodes.map(\.shardCount) == [3])

        var phase = Self.phase(for: .milliseconds(300))
        phase.inFlightMax = 2
        var plan = Self.plan([phase])
        plan.isEcho = true
        plan.threadCount = 2
        let figures = try LoadTestRun(plan).run()
        let measured = try #require(figures.phases.first)
        #expect(measured.errorCount == 0 && measured.goodKeyCount > 100)
        let limit = try #require(measured.generator.limit)
        #expect([.echo, .generator].contains(limit))
    }

    @Test func anUnreachableClusterFailsTheRun() throws {
        var plan = Self.plan([Self.phase(for: .seconds(1))])
        plan.endpoints = ["tcp://127.0.0.1:9"]
        plan.timeout = .milliseconds(200)
        #expect(throws: LoadTestFailure.self) { try LoadTestRun(plan).run() }
    }
}
