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
}
