import ArgumentParser
import CacheConfiguration
import CommandSurface
import Foundation
import TestSupport
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
    }

    @Test(arguments: [(31, 1, 1), (1, 60, 1), (62, 1, 1), (29, 1, 3), (1_000, 1, 7), (100, 64, 1)])
    func moreThanFitAreBehindAllOthers(nodes: Int, shards: Int, publishers: Int) throws {
        let flags = [
            "--nodes", "\(nodes)", "--shards", "\(shards)", "--publishers", "\(publishers)",
            "--port", "20000",
        ]
        let found = try self.nodes(flags)
        let ports = found.flatMap { node -> [UInt16] in
            let first = node.port ?? 0
            return (0..<node.shards).map { first + UInt16($0) } + [node.http?.port ?? 0]
        }
        #expect(Set(ports).count == nodes * (shards + 1))
        #expect(ports.min() == 20_070)
        #expect(ports.max() == 20_069 + UInt16(nodes * (shards + 1)))
    }

    /// What a gateway of `up` is started with, and where its metrics are.
    private func gateway(_ flags: [String]) throws -> UpGateway {
        let command = try UpCommand.parse(["--gateway"] + flags)
        let configuration = try UpPlan.configuration(
            command, in: URL(fileURLWithPath: "/d", isDirectory: true))
        return try UpGateway(for: configuration, command)
    }

    @Test func severalPublishersHaveTheirOwnPortsAndAnEtcdBehindAllOthers() throws {
        let plan = try UpPlan.configuration(
            UpCommand.parse(["--publishers", "3", "--port", "20000", "--nodes", "2"]),
            in: URL(fileURLWithPath: "/d", isDirectory: true))
        #expect(
            plan.publisherAddresses.map(\.control)
                == [20_000, 20_002, 20_004].map { "tcp://127.0.0.1:\($0)" })
        #expect(plan.publishers.map(\.stateDirectory) == ["/d/p1", "/d/p2", "/d/p3"])
        #expect(plan.nodes.map(\.port) == [20_006, 20_007])
        let ports = (plan.publishers.map(\.http) + plan.nodes.map(\.http)).map { $0?.port }
        #expect(ports == [20_062, 20_061, 20_060, 20_059, 20_058].map { UInt16($0) })
        guard case .etcd(let etcd) = plan.publisher.log else {
            Issue.record("\(plan.publisher.log)")
            return
        }
        #expect(etcd.endpoints == [20_064, 20_066, 20_068].map { "http://127.0.0.1:\($0)" })
        let started = UpEtcd(in: URL(fileURLWithPath: "/d"), port: 20_000)
        #expect(started.members.map(\.client) == etcd.endpoints)
        #expect(Set(started.endpoints).count == 6)
    }

    @Test(arguments: [
        (["--publishers", "0"], "--publishers is 1 to 7"),
        (["--publishers", "8"], "--publishers is 1 to 7"),
        (["--nodes", "0"], "--nodes is 1 to 1000"),
        (["--nodes", "1001"], "--nodes is 1 to 1000"),
        (["--shards", "65"], "--shards is 1 to 64"),
        (["--nodes", "1000", "--shards", "64"], "--port is 1 to 466: the 65069 ports after"),
        (["--nodes", "1000", "--port", "63467"], "--port is 1 to 63466: the 2069 ports after"),
        (["--publishers", "2", "--port", "65467"], "--port is 1 to 65466: the 69 ports after"),
        (["--port", "65473"], "--port is 1 to 65472: the 63 ports after"),
    ])
    func whatHasNoPortsIsRefused(flags: [String], beginning: String) throws {
        let failure = #expect(throws: CommandFailure.self) { _ = try nodes(flags) }
        #expect(failure?.status == .wrongUsage)
        #expect(failure?.sentence.hasPrefix(beginning) == true, "\(failure?.sentence ?? "")")
    }

    @Test func withoutEtcdOneIsToldHowToInstallIt() {
        let nowhere = ["PATH": "/nowhere"]
        guard !FileManager.default.isExecutableFile(atPath: "/usr/bin/etcd") else {
            #expect(throws: Never.self) { try UpEtcd.path(environment: nowhere) }
            return
        }
        let failure = #expect(throws: CommandFailure.self) {
            _ = try UpEtcd.path(environment: nowhere)
        }
        #expect(failure?.sentence.contains("apt-get install etcd-server") == true)
    }

    @Test(arguments: [("log", true), ("etcd", false)])
    func aSecondLogBesideTheFirstIsRefused(first: String, isOnEtcd: Bool) throws {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        try UpEtcd.checkLog(in: folder.url, isOnEtcd: isOnEtcd)
        try folder.write("x", to: first)
        try UpEtcd.checkLog(in: folder.url, isOnEtcd: !isOnEtcd)
        let failure = #expect(throws: CommandFailure.self) {
            try UpEtcd.checkLog(in: folder.url, isOnEtcd: isOnEtcd)
        }
        #expect(failure?.status == .unusableConfiguration)
        #expect(failure?.sentence.contains("or give another --dir") == true)
    }

    /// Its last line is one of a stack.
    @Test func whatEtcdComplainedOfIsToldInsteadOfItsLastLine() throws {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        let panic =
            #"{"level":"panic","caller":"etcdserver/raft.go:449","#
            + #""msg":"failed to create WAL","error":"no space left on device"}"#
        let quiet = #"{"level":"warn","msg":"established TCP streaming connection"}"#
        let text = [quiet, panic, quiet, "goroutine 1 [running]:", "\tgo.etcd.io/etcd/main.go:28"]
        try folder.write(text.joined(separator: "\n") + "\n", to: "etcd1.log")
        let log = ChildLog(
            file: folder.url.appendingPathComponent("etcd1.log"), followsLinks: false)
        #expect(log.lastLine == "failed to create WAL: no space left on device")
        try folder.write("first\nmartlet: last\n", to: "n1.log")
        let other = ChildLog(file: folder.url.appendingPathComponent("n1.log"), followsLinks: false)
        #expect(other.lastLine == "last")
    }

    @Test func anEtcdOfAnotherPortIsRefused() throws {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        for _ in 0..<2 { try UpEtcd(in: folder.url, port: 20_000).prepare() }
        let failure = #expect(throws: CommandFailure.self) {
            try UpEtcd(in: folder.url, port: 20_001).prepare()
        }
        #expect(failure?.sentence.contains("say --port 20000, or give another --dir") == true)
    }

    @Test func aGatewayHasAPortForMetricsBeforeThoseOfTheNodes() throws {
        let gateway = try gateway(["--port", "20000"])
        #expect(gateway.http == .loopback(port: 20058))
        #expect(
            gateway.arguments == ["--bind", "127.0.0.1:20063", "--http", "127.0.0.1:20058"])
        #expect(gateway.endpoints == ["tcp://127.0.0.1:20063", "tcp://127.0.0.1:20058"])
        let most = try self.gateway(["--nodes", "29", "--shards", "1", "--port", "20000"])
        #expect(most.http == .loopback(port: 20032))
        #expect(try self.gateway(["--nodes", "30", "--port", "20000"]).http == nil)
        let behind = try self.gateway(["--nodes", "31", "--port", "20000"])
        #expect(behind.http == .loopback(port: 20061))
    }

    @Test func aGatewayIsToldOfItsNearCache() throws {
        let told = try gateway(["--near-cache", "64MiB", "--near-cache-age", "2s"]).arguments
        #expect(told.suffix(4) == ["--near-cache", "64MiB", "--near-cache-age", "2s"])
        for flags in [["--near-cache", "64"], ["--near-cache-age", "2s"]] {
            let failure = #expect(throws: CommandFailure.self) { _ = try gateway(flags) }
            #expect(failure?.status == .wrongUsage)
        }
    }

    @Test func whatIsLoggedOfOperationsIsSaidByVariables() throws {
        #expect(try UpCommand.parse([]).logs.variables.isEmpty)
        let logs = try UpCommand.parse([
            "--slow-log", "50ms", "--sample-log", "1/9", "--log-names", "hashed", "--log-format",
            "json",
        ]).logs
        try logs.check(isSampling: false, environment: [:])
        #expect(
            logs.variables == [
                "MARTLET_SLOW_LOG": "50ms", "MARTLET_SAMPLE_LOG": "1/9",
                "MARTLET_LOG_NAMES": "hashed", "MARTLET_LOG_FORMAT": "json",
            ])
    }

    @Test(
        arguments: [
            (["--slow-log", "often"], [:]), (["--sample-log", "9"], [:]),
            (["--log-names", "clear"], [:]), ([], ["MARTLET_SAMPLE_LOG": "all"]),
            ([], ["MARTLET_LOG_FORMAT": "xml"]), ([], ["MARTLET_LOG_NAMES": "some"]),
        ] as [([String], [String: String])])
    func whatAProcessWouldRefuseIsRefusedBefore(
        flags: [String], environment: [String: String]
    ) throws {
        let logs = try UpCommand.parse(flags).logs
        let failure = #expect(throws: CommandFailure.self) {
            try logs.check(isSampling: false, environment: environment)
        }
        #expect(failure?.status == .wrongUsage)
    }

    @Test func namesMayBeOfNodesThatTheFileHasSample() throws {
        let logs = try UpCommand.parse(["--log-names", "clear"]).logs
        try logs.check(isSampling: true, environment: [:])
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

    @Test func upWithKeysTrustsNoFileThatOthersMayWrite() throws {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        try folder.write("x", to: "n1.log")
        for (path, mode) in [(folder.url.path, 0o755), (folder.path("n1.log"), 0o666)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        do {
            _ = try temporary(["--secure", "--dir", folder.url.path])
            Issue.record("it was trusted")
        } catch let failure as CommandFailure {
            #expect(failure.status == .unusableConfiguration)
            #expect(failure.sentence.hasPrefix("others may write \(folder.path("n1.log"))"))
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("allow-list")))
    }

    /// At free ports.
    private func temporary(_ flags: [String] = []) throws -> UpPlan {
        for _ in 0..<50 {
            let port = Int.random(in: 20_000..<30_000)
            do {
                return try UpPlan(UpCommand.parse(["--nodes", "1", "--port", "\(port)"] + flags))
            } catch let failure as CommandFailure where failure.sentence.contains("in use") {
                continue
            }
        }
        throw CommandFailure(.unusableConfiguration, "no port was free")
    }
}
