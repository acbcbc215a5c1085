import ArgumentParser
import CacheConfiguration
import CacheModel
import CacheServer
import CommandSurface
import Testing

@testable import martlet

/// What `martlet node` makes of flags, variables and the file.
@Suite struct NodePlanTests {
    private func ioThreads(
        _ flags: [String], variable: String? = nil, file: Int? = nil
    ) throws -> Int {
        let command = try NodeCommand.parse(flags)
        let settings = try file.map { count in
            var settings = NodeSettings(id: try #require(NodeID("n1")))
            settings.ioThreads = count
            return settings
        }
        return try NodePlan.ioThreads(command.ioThreads, variable, settings)
    }

    @Test func aNodeHasOneThreadForConnectionsUnlessItIsToldOtherwise() throws {
        #expect(try ioThreads([]) == 1)
        #expect(try ioThreads([], file: 2) == 2)
        #expect(try ioThreads([], variable: "3", file: 2) == 3)
        #expect(try ioThreads(["--io-threads", "4"], variable: "3", file: 2) == 4)
    }

    @Test func aNodeIsReadyWithoutItsOriginsUnlessItIsToldOtherwise() throws {
        for isWanted in [false, true] {
            let flags = ["--id", "n1"] + (isWanted ? ["--ready-needs-origins"] : [])
            let plan = try NodePlan(NodeCommand.parse(flags), configuration: nil)
            #expect(plan.options.readyNeedsOrigins == isWanted)
        }
    }

    @Test(arguments: [
        (["--io-threads", "0"], nil, "--io-threads is 1 to 16"),
        (["--io-threads", "17"], "2", "--io-threads is 1 to 16"),
        ([], "17", "MARTLET_IO_THREADS is 1 to 16"),
        ([], "many", "MARTLET_IO_THREADS is 1 to 16"),
        ([], "", "MARTLET_IO_THREADS is 1 to 16"),
    ])
    func aWrongNumberOfThreadsIsRefused(
        flags: [String], variable: String?, sentence: String
    ) throws {
        let failure = #expect(throws: CommandFailure.self) {
            try ioThreads(flags, variable: variable, file: 2)
        }
        #expect(failure?.sentence == sentence)
        #expect(failure?.status == .wrongUsage)
    }
}
