import CacheConfiguration
import CacheModel
import CommandSurface
import Testing

@testable import martlet

@Suite struct ConfigurationReloadsTests {
    private static let standard = ClusterConfiguration.standard(
        nodeCount: 2, shardCount: 1, topology: .sharded)

    private func changed(
        _ change: (inout ClusterConfiguration) -> Void
    ) -> ClusterConfiguration {
        var configuration = Self.standard
        change(&configuration)
        return configuration
    }

    @Test func aRefusedFileLeavesTheConfigurationUnchangedAndIsReportedOnce() throws {
        var reloads = ConfigurationReloads(from: Self.standard)
        let wrong = changed {
            $0.topology = .replicated
            $0.nodes[0].shards = 3
            $0.defaults.timeToLive = .seconds(60)
        }
        guard case .refused(let problem, 2) = reloads.look({ wrong }) else {
            Issue.record("two changes are refused")
            return
        }
        #expect(problem.contains("topology: sharded → replicated"))
        #expect(problem.contains("nodes.n1.shards: 1 → 3"))
        guard case .nothing = reloads.look({ wrong }) else {
            Issue.record("it is told once")
            return
        }
        guard case .refused = reloads.look(isAsked: true, { wrong }) else {
            Issue.record("asked, it is told again")
            return
        }
        // The lifetime was not taken over beside: what is in force is what was.
        let right = changed { $0.defaults.timeToLive = .seconds(60) }
        guard case .taken(let found, let deferrals) = reloads.look({ right }) else {
            Issue.record("what can change is taken over")
            return
        }
        #expect(found == right && deferrals.isEmpty)
    }

    @Test func aFileThatSaysAgainWhatIsInForceEndsTheRefusal() {
        var reloads = ConfigurationReloads(from: Self.standard)
        guard
            case .refused(_, 1) = reloads.look({ throw CommandFailure(.refused, "it is torn") }),
            case .restored = reloads.look({ Self.standard }),
            case .nothing = reloads.look({ Self.standard })
        else {
            Issue.record("refused, restored, and then nothing")
            return
        }
    }

    @Test func aSettingOfOneNodeIsTakenOverAndTold() {
        var reloads = ConfigurationReloads(from: Self.standard)
        let more = changed { $0.nodes[1].memory *= 2 }
        guard case .taken(_, let deferrals) = reloads.look({ more }) else {
            Issue.record("it is taken over")
            return
        }
        #expect(
            deferrals == ["nodes.n2.memory: takes effect when node n2 is started again"])
    }
}
