import CacheInvalidation
import CacheLoading
import CacheMetrics
import CacheModel
import CacheNodeCore
import CacheWire
import PublisherCore
import Testing

/// What whole processes tell of themselves.
@Suite struct ReportPageTests {
    private static func core(_ shard: Int) throws -> ShardCore {
        ShardCore(
            options: ShardOptions(
                node: try #require(NodeID("n1")), shardIndex: ShardIndex(shard),
                incarnation: Incarnation(7), memoryBytes: 8 << 20, seed: 1))
    }

    private static func report(_ standing: NodeStanding) throws -> NodeReport {
        var report = NodeReport(node: try #require(NodeID("n1")))
        for number in [1, 0] {
            var core = try core(number)
            core.setStanding(standing)
            var shard = core.report(now: Instant(nanoseconds: 1_000))
            shard.turns = DurationHistogram(.brief)
            shard.unsent = [("slow", 3)]
            report.add(shard)
        }
        report.gates[.default] = GateStatistics()
        return report
    }

    private static func standing(
        _ state: NodeState, _ reason: StandingReason? = nil, head: UInt64 = 0
    ) -> NodeStanding {
        var standing = NodeStanding(
            state: state, leaseExpiresAt: Instant(nanoseconds: 5_000_001_000), log: .none,
            head: LogPosition(epoch: .none, sequence: SequenceNumber(head)), topologyVersion: 0)
        standing.doubt = reason.map { StandingDoubt($0, since: Instant(nanoseconds: 0)) }
        return standing
    }

    /// Two samples of one family with equal labels would be refused by whoever reads them.
    private static func expectNoSampleTwice(_ page: MetricPage) {
        for entry in page.entries {
            let labels = entry.samples.map(\.labels)
            #expect(Set(labels).count == labels.count, "\(entry.family.name)")
            #expect(Set(labels.map { $0.map(\.name) }).count <= 1, "\(entry.family.name)")
        }
    }

    @Test func aNodeShowsEachOfItsShards() throws {
        let page = try Self.report(Self.standing(.live)).page
        Self.expectNoSampleTwice(page)
        let node = MetricLabel("node", "n1")
        for shard in ["0", "1"] {
            let labels = [node, MetricLabel("shard", shard)]
            #expect(page.value("martlet_node_entries", labels) == .count(0))
            #expect(page.value("martlet_node_lag_records", labels) == .count(0))
            #expect(
                page.value("martlet_node_turn_duration_seconds", labels)
                    == .histogram(DurationHistogram(.brief)))
        }
        #expect(page.value("martlet_node_lease_seconds", [node]) == .number(5.0))
        #expect(
            page.value("martlet_node_state", [node, MetricLabel("state", "live")]) == .count(1))
        #expect(
            page.value("martlet_node_state", [node, MetricLabel("state", "suspect")]) == .count(0))
    }

    @Test func everyMetricOfANodeIsListed() throws {
        let listed = Set(NodeReport.families)
        for entry in try Self.report(Self.standing(.catchingUp, .replaying, head: 9)).page.entries {
            #expect(listed.contains(entry.family), "\(entry.family.name)")
        }
    }

    @Test func aNodeThatIsNotLiveSaysWhy() throws {
        let page = try Self.report(Self.standing(.syncing, .leaseWithheld, head: 9)).page
        let node = MetricLabel("node", "n1")
        #expect(
            page.value("martlet_node_not_live", [node, MetricLabel("reason", "lease_withheld")])
                == .count(1))
        #expect(
            page.value("martlet_node_lag_records", [node, MetricLabel("shard", "1")]) == .count(9))
    }

    @Test(arguments: NodeState.allCases)
    func aNodeIsReadyWithALeaseUnlessItLeaves(state: NodeState) throws {
        let readiness = try Self.report(Self.standing(state, .draining)).readiness
        switch state {
        case .live, .catchingUp: #expect(readiness == .ready)
        default:
            guard case .unready(let reason) = readiness else {
                Issue.record("\(state) is ready")
                return
            }
            #expect(reason.hasPrefix("\(state): "))
        }
    }

    @Test func aLeaseThatEndedMakesANodeUnready() throws {
        var report = NodeReport(node: try #require(NodeID("n1")))
        #expect(report.readiness != .ready)
        var core = try Self.core(0)
        core.setStanding(Self.standing(.live))
        report.add(core.report(now: Instant(nanoseconds: 5_000_001_001)))
        #expect(report.readiness == .unready("SUSPECT: it has no lease"))
    }

    @Test func aDisabledOriginMakesANodeUnreadyOnlyIfRequired() throws {
        for change in [
            { (core: inout ShardCore) in core.setOriginsOff([.default]) },
            { (core: inout ShardCore) in core.setQueueDepth(QueueDepth(isUnusable: true)) },
        ] {
            var core = try Self.core(0)
            core.setStanding(Self.standing(.live))
            change(&core)
            var report = NodeReport(node: try #require(NodeID("n1")))
            report.add(core.report(now: Instant(nanoseconds: 1_000)))
            #expect(report.readiness == .ready)
            report.needsOrigins = true
            guard case .unready(let reason) = report.readiness else {
                Issue.record("it is ready")
                return
            }
            #expect(reason.contains("namespace default has no origin") || reason.contains("queue"))
            Self.expectNoSampleTwice(report.page)
        }
    }

    @Test func everyFamilyKeepsTheConventions() {
        var helps: [String: String] = [:]
        for family in NodeReport.families + PublisherReport.families {
            #expect(family.name.contains(#/^martlet_(node|publisher)(_[a-z]+)*$/#))
            #expect(!family.name.hasSuffix("_total") && !family.name.hasSuffix("_info"))
            for unit in ["_ms", "_milliseconds", "_microseconds", "_kb", "_ratio"] {
                #expect(!family.name.hasSuffix(unit), "\(family.name): base units")
            }
            #expect(family.help.hasSuffix(".") && family.help.count > 10, "\(family.name)")
            #expect(family.kind != .histogram || family.unit == .seconds, "\(family.name)")
            let known = helps.updateValue(family.help, forKey: family.sampleName)
            #expect(known == nil, "\(family.name) has two meanings")
        }
        #expect(helps.count > 150)
    }
}
