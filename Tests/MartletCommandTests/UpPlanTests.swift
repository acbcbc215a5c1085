import ArgumentParser
import CacheConfiguration
import Foundation
import Testing

@testable import martlet

@Suite struct UpPlanTests {
    private func nodes(_ flags: [String], in directory: String = "/d") throws -> [NodeSettings] {
        try UpPlan.configuration(
            UpCommand.parse(flags), in: URL(fileURLWithPath: directory, isDirectory: true)
        ).nodes
    }

    @Test func withoutTheFlagNoNodeHasADiskTier() throws {
        #expect(try nodes([]).map(\.disk) == [nil, nil, nil])
        #expect(try nodes(["--disk", "none"]).map(\.disk) == [nil, nil, nil])
    }

    @Test func eachNodeHasADiskTierOfThatSizeUnderItsName() throws {
        let found = try nodes(
            ["--nodes", "2", "--shards", "2", "--disk", "1GiB"], in: "/a \"b\"/c")
        #expect(
            found.map(\.disk)
                == ["n1", "n2"].map {
                    DiskSettings(directory: "/a \"b\"/c/\($0)", bytes: 1 << 30)
                })
    }

    @Test func everybodyHasAPortForMetricsBehindTheShards() throws {
        #expect(
            try nodes(["--port", "20000"]).map { $0.http?.description }
                == ["127.0.0.1:20061", "127.0.0.1:20060", "127.0.0.1:20059"])
        let most = try nodes(["--nodes", "30", "--port", "20000"])
        let ports = most.flatMap { [$0.port, $0.http?.port] }.compactMap(\.self)
        #expect(ports.count == 60 && Set(ports).count == 60)
        #expect(try nodes(["--nodes", "31"]).allSatisfy { $0.http == nil })
    }

    @Test func aDiskTierThatIsTooSmallForTheShardsIsRefused() throws {
        do {
            _ = try nodes(["--shards", "2", "--disk", "16MiB"])
            Issue.record("it was taken")
        } catch let failure as CommandFailure {
            #expect(failure.status == .wrongUsage)
            #expect(
                failure.sentence
                    == "--disk: \"16MiB\" is too little for 2 shards; give 32MiB to 256GiB, or none"
            )
        }
    }

    /// Nobody else may have made it, or may look into it: keys are put there.
    @Test func aDirectoryForTheTimeBeingIsItsOwnersAlone() throws {
        let plans = try (0..<2).map { _ in try temporary() }
        defer { plans.forEach { try? FileManager.default.removeItem(at: $0.directory) } }
        #expect(plans[0].directory != plans[1].directory)
        for plan in plans {
            let facts = try FileManager.default.attributesOfItem(atPath: plan.directory.path)
            #expect(plan.isTemporary && facts[.posixPermissions] as? Int == 0o700)
        }
    }

    /// At ports that nobody has.
    private func temporary() throws -> UpPlan {
        for _ in 0..<50 {
            let port = Int.random(in: 20_000..<30_000)
            do {
                return try UpPlan(UpCommand.parse(["--nodes", "1", "--port", "\(port)"]))
            } catch let failure as CommandFailure where failure.sentence.contains("in use") {
                continue
            }
        }
        throw CommandFailure(.unusableConfiguration, "no port was free")
    }
}
