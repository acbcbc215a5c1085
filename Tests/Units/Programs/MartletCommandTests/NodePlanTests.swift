import ArgumentParser
import CacheConfiguration
import CacheModel
import CacheServer
import CommandSurface
import Testing
import ZeroMQ

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

    private func entriesMax(
        _ flags: [String], variable: String? = nil, file: Int? = nil, shards: Int = 4
    ) throws -> Int? {
        let command = try NodeCommand.parse(flags)
        let settings = try file.map { count in
            var settings = NodeSettings(id: try #require(NodeID("n1")))
            settings.entriesMax = count
            return settings
        }
        return try NodePlan.entriesMax(command.entriesMax, variable, settings, shards: shards)
    }

    @Test func aFlagWinsOverTheVariableAndThatOverTheFile() throws {
        #expect(try entriesMax([]) == nil)
        #expect(try entriesMax([], file: 200) == 200)
        #expect(try entriesMax([], variable: "300", file: 200) == 300)
        #expect(try entriesMax(["--entries-max", "400"], variable: "300", file: 200) == 400)
        #expect(try entriesMax(["--entries-max", "none"], variable: "300", file: 200) == nil)
        #expect(try entriesMax([], file: 4) == 4, "one for each shard")
    }

    @Test func aNodeJoinsByTheWeightThatItIsGiven() throws {
        func weight(_ flags: [String], listed: Double? = nil) throws -> JoinWeight {
            let settings = try listed.map { weight in
                var settings = NodeSettings(id: try #require(NodeID("n1")))
                settings.weight = weight
                return settings
            }
            return try NodeCommand.parse(flags).name.joinWeight(settings, memory: 3 << 29)
        }
        #expect(try weight([]) == .none, "it does not join")
        let byMemory = try weight(["--join"])
        #expect(byMemory.thousandths(areWeightsStated: false) == 1_500)
        #expect(byMemory.thousandths(areWeightsStated: true) == 1_000)
        #expect(try weight(["--join"], listed: 2.5) == JoinWeight(thousandths: 2_500))
        #expect(
            try weight(["--join", "--weight", "0.25"], listed: 2) == JoinWeight(thousandths: 250))
        let failures = [["--weight", "2"], ["--join", "--weight", "0"]].map { flags in
            #expect(throws: CommandFailure.self) { try weight(flags) }?.sentence ?? ""
        }
        #expect(failures[0].hasPrefix("--weight is for --join"))
        #expect(failures[1].hasPrefix("--weight: ") && failures[1].contains("above 0"))
    }

    @Test func moreShardsThanTheConfigurationsEntriesAreRefused() throws {
        let failure = #expect(throws: CommandFailure.self) { try entriesMax([], file: 2) }
        #expect(failure?.sentence.contains("is 2 in the configuration, less than one for") == true)
        var policy = NamespacePolicy()
        policy.memory.entriesMax = 2
        var configuration = ClusterConfiguration.standard(
            nodeCount: 1, shardCount: 2, topology: .sharded)
        configuration.namespaces = [try #require(Namespace("flags")): policy]
        try NodePlan.checkBounds(configuration, shards: 2)
        let other = #expect(throws: CommandFailure.self) {
            try NodePlan.checkBounds(configuration, shards: 3)
        }
        #expect(other?.sentence.hasPrefix("entries-max of namespace flags is 2") == true)
    }

    @Test(arguments: [
        (["--entries-max", "3"], nil, "--entries-max: 3 is too small; give 4 to 1000000000"),
        ([], "many", "MARTLET_ENTRIES_MAX: \"many\" is not a whole number; give 4 to"),
    ])
    func aWrongNumberOfEntriesIsRefused(
        flags: [String], variable: String?, beginning: String
    ) throws {
        let failure = #expect(throws: CommandFailure.self) {
            try entriesMax(flags, variable: variable)
        }
        #expect(failure?.sentence.hasPrefix(beginning) == true, "\(failure?.sentence ?? "")")
        #expect(failure?.status == .wrongUsage)
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

/// The publishers of `martlet node`.
@Suite struct NodePublishersTests {
    private func places(
        _ flags: [String], environment: [String: String] = [:]
    ) throws -> [PublisherPlace] {
        let command = try NodeCommand.parse(flags)
        return try NodePlan.publishers(command.publisher, live: command.live, environment, nil)
    }

    private func controls(
        _ flags: [String], environment: [String: String] = [:]
    ) throws -> [String] {
        try places(flags, environment: environment).map(\.control.description)
    }

    @Test func onePublisherHasALiveEndpoint() throws {
        let standard = try #require(try places([]).first)
        #expect(standard.control.description == "tcp://127.0.0.1:7400")
        #expect(standard.live?.description == "tcp://127.0.0.1:7401")
        let given = try places(["--publisher", "tcp://h:1", "--live", "tcp://h:9"])
        #expect(given.map(\.live?.description) == ["tcp://h:9"])
    }

    @Test func severalAreGivenByFlagsOrByAListInTheVariable() throws {
        let flags = ["--publisher", "tcp://a:1", "--publisher", "tcp://b:1"]
        #expect(try controls(flags) == ["tcp://a:1", "tcp://b:1"])
        #expect(try places(flags).allSatisfy { $0.live == nil }, "each names its own")
        let variable = ["MARTLET_PUBLISHER": "tcp://c:1, tcp://d:1"]
        #expect(try controls([], environment: variable) == ["tcp://c:1", "tcp://d:1"])
        #expect(try controls(flags, environment: variable) == ["tcp://a:1", "tcp://b:1"])
        #expect(try controls(["--publisher", "tcp://a:1"], environment: variable) == ["tcp://a:1"])
    }

    @Test(arguments: [
        ("tcp://a:1,tcp://b:1", "tcp://x:1", "MARTLET_LIVE is for one publisher: leave it"),
        ("tcp://a:1,tcp://a:1", nil, "MARTLET_PUBLISHER names tcp://a:1 twice"),
        (
            Array(repeating: "tcp://a:1", count: 17).joined(separator: ","), nil,
            "MARTLET_PUBLISHER names 17 publishers, at most 16 are possible"
        ),
        ("tcp://a:1,", nil, "\"\""),
        ("tcp://a:1,tcp://*:1", nil, "\"tcp://*:1\""),
    ])
    func wrongListsAreRefused(list: String, live: String?, beginning: String) throws {
        var environment = ["MARTLET_PUBLISHER": list]
        environment["MARTLET_LIVE"] = live
        let failure = #expect(throws: CommandFailure.self) {
            try places([], environment: environment)
        }
        #expect(failure?.sentence.hasPrefix(beginning) == true, "\(failure?.sentence ?? "")")
    }

    @Test func flagsAreNamedInTheirErrors() throws {
        let two = ["--publisher", "tcp://a:1", "--publisher", "tcp://b:1"]
        let live = #expect(throws: CommandFailure.self) {
            try places(two + ["--live", "tcp://a:2"])
        }
        #expect(live?.sentence.hasPrefix("--live is for one publisher") == true)
        let twice = #expect(throws: CommandFailure.self) {
            try places(two + ["--publisher", "tcp://a:1"])
        }
        #expect(twice?.sentence == "--publisher names tcp://a:1 twice")
    }
}
