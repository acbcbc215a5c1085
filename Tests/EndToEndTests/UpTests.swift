import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension EndToEndTests {
    @Suite(.serialized) struct UpTests {
        @Test func killedOutrightItLeavesNoChildBehind() async throws {
            let cluster = try await Cluster.start(ClusterPlan())
            defer { cluster.clear() }
            await cluster.client.close()
            let children = cluster.ready.processIDs
            #expect(children.allSatisfy(ProcessTable.isAlive))
            cluster.up.signal(SIGKILL)
            #expect(try await cluster.up.ended() == 128 + SIGKILL)
            do {
                try await eventually("every child ends by itself", within: .seconds(15)) {
                    !children.contains(where: ProcessTable.isAlive)
                }
            } catch {
                for child in children { ProcessTable.send(SIGKILL, to: child) }
                throw error
            }
        }

        @Test(arguments: [SIGINT, SIGTERM])
        func aSignalStopsItInOrder(signal: Int32) async throws {
            let cluster = try await Cluster.start(ClusterPlan())
            defer { cluster.clear() }
            await cluster.client.close()
            cluster.up.signal(signal)
            #expect(try await cluster.up.ended(within: .seconds(15)) == 0)
            #expect(!cluster.ready.processIDs.contains(where: ProcessTable.isAlive))
            #expect(!FileManager.default.fileExists(atPath: cluster.readyFile.path))
            #expect(cluster.up.output.contains("is live"))
        }

        @Test func aStoppedChildDoesNotHoldItUp() async throws {
            let cluster = try await Cluster.start(ClusterPlan())
            defer { cluster.clear() }
            await cluster.client.close()
            for child in cluster.ready.processIDs { try await ProcessTable.stop(child) }
            let start = ContinuousClock.now
            cluster.up.signal(SIGTERM)
            #expect(try await cluster.up.ended(within: .seconds(15)) == 0)
            #expect(ContinuousClock.now - start < .seconds(5))
            #expect(!cluster.up.errors.contains("killed"), "\(cluster.up.errors)")
            #expect(!cluster.ready.processIDs.contains(where: ProcessTable.isAlive))
        }

        @Test func aReloadEndsNothing() async throws {
            let cluster = try await Cluster.start(ClusterPlan())
            defer { cluster.clear() }
            cluster.up.signal(SIGHUP)
            let names = ["publisher"] + cluster.view.nodes.map(\.name)
            try await eventually("every process has heard of it") {
                names.allSatisfy { cluster.log(of: $0).contains("SIGHUP") }
            }
            _ = try await cluster.client.set(.named("k"), to: [1])
            await cluster.client.close()
            try await cluster.stop()
        }

        @Test func anEditedConfigurationIsKeptAtTheNextStart() async throws {
            let cluster = try await Cluster.start(ClusterPlan())
            defer { cluster.clear() }
            await cluster.client.close()
            try await cluster.stop()
            let text = try String(contentsOf: cluster.configurationFile, encoding: .utf8)
            let edited = text.replacing("  ttl: none", with: "  ttl: 1h")
            #expect(edited != text)
            try Data(edited.utf8).write(to: cluster.configurationFile)
            let port = try #require(
                cluster.ready.publisher.endpoint?.split(separator: ":").last.map(String.init))
            let flags = ["up", "--dir", cluster.directory.url.path, "--port", port]
            let other = try await Program.run(flags + ["--nodes", "5"])
            #expect(other.code == 78 && other.errors.contains("not overwritten"), "\(other)")
            let again = try RunningProgram(
                flags + ["--nodes", "3", "--ready-file", cluster.readyFile.path], name: "again",
                in: cluster.directory.url)
            defer { again.kill() }
            try await eventually("it runs again", within: .seconds(60)) {
                FileManager.default.fileExists(atPath: cluster.readyFile.path)
                    || !again.isRunning
            }
            #expect(again.errors.contains("was edited and is run as it is"), "\(again.errors)")
            again.signal(SIGTERM)
            #expect(try await again.ended(within: .seconds(15)) == 0)
            let left = try String(contentsOf: cluster.configurationFile, encoding: .utf8)
            #expect(left == edited)
        }

        @Test func aPortInUseIsNamedWithARemedy() async throws {
            let taken = try TCPSocket.listening()
            defer { taken.close() }
            let endpoint = "tcp://127.0.0.1:\(taken.port)"
            for arguments in [
                ["publisher", "--bind", endpoint],
                ["node", "--id", "n1", "--bind", endpoint],
            ] {
                let ending = try await Program.run(arguments)
                #expect(ending.code == 78, "\(arguments): \(ending)")
                #expect(ending.complaints.count == 1, "\(arguments): \(ending)")
                #expect(ending.errors.contains("\(taken.port)"), "\(ending)")
                #expect(ending.errors.contains("in use"), "\(ending)")
            }
            let up = try await Program.run(["up", "--port", "\(taken.port)"])
            #expect(up.code == 78, "\(up)")
            #expect(up.complaints.count == 1, "\(up)")
            #expect(up.errors.contains("in use") && up.errors.contains("\(taken.port)"), "\(up)")
        }

        @Test func aNodeThatTheConfigurationLacksIsToldSo() async throws {
            try await withCluster { cluster in
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                let ending = try await Program.run(
                    ["node", "--id", "n9", "--publisher", endpoint])
                #expect(ending.code == 78, "\(ending)")
                let last = String(ending.complaints.last ?? "")
                #expect(last.contains("n9") && last.contains("configuration"), "\(ending)")
                let file = try await Program.run(
                    [
                        "node", "--id", "n9", "--config",
                        cluster.directory.url.path + "/cluster.yaml",
                    ])
                #expect(file.code == 78, "\(file)")
                #expect(file.complaints.count == 1 && file.errors.contains("nodes"), "\(file)")
                try await cluster.view.settle()
            }
        }

        @Test(arguments: [
            ["publisher", "--bind", "tcp://0.0.0.0:29999"],
            ["publisher", "--bind", "tcp://127.0.0.1:29997", "--live", "tcp://*:29998"],
            ["node", "--id", "n1", "--bind", "tcp://0.0.0.0:29999"],
            ["node", "--id", "n1", "--bind", "tcp://[::]:29999"],
        ])
        func anAddressBeyondThisMachineIsRefused(arguments: [String]) async throws {
            let ending = try await Program.run(arguments)
            #expect(ending.code == 78, "\(ending)")
            #expect(ending.complaints.count == 1, "\(ending)")
            #expect(ending.errors.contains("--insecure-bind"), "\(ending)")
        }

        @Test(arguments: [
            ["up", "--nodes", "0"], ["up", "--nodes", "1001"], ["up", "--shards", "0"],
            ["up", "--topology", "ring"], ["up", "--memory", "12"], ["up", "--port", "0"],
            ["up", "--port", "65500"], ["up", "--respawn=soon"], ["up", "--frobnicate"],
            ["up", "--near-cache", "64MiB"], ["up", "--gateway", "--near-cache", "lots"],
            ["up", "--gateway", "--near-cache-age", "1s"], ["up", "--slow-log", "often"],
            ["up", "--sample-log", "1000"], ["up", "--log-names", "clear"],
            ["up", "--log-format", "xml"], ["node", "--id", "n1", "--sample-log", "1/0"],
            ["node"], ["node", "--id", "a b"], ["node", "--id", "n1", "--shards", "0"],
            ["node", "--id", "n1", "--memory", "lots"], ["publisher", "--nodes", "0"],
            ["publisher", "--topology", "ring"], ["bench", "--concurrency", "0"], ["frobnicate"],
        ])
        func aFlagThatMakesNoSenseIsWrongUsage(arguments: [String]) async throws {
            let ending = try await Program.run(arguments)
            #expect(ending.code == 64, "\(arguments): \(ending)")
            #expect(!ending.errors.isEmpty && ending.output.isEmpty, "\(arguments): \(ending)")
        }

        @Test func whatCannotBeReadOrWrittenIsNamed() async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let file = directory.file("a file")
            try Data("nodes: [".utf8).write(to: file)
            for (arguments, name) in [
                (["up", "--dir", file.appendingPathComponent("below").path], "a file"),
                (["up", "--config", directory.file("absent").path], "absent"),
                (["up", "--config", file.path], "a file"),
                (["publisher", "--config", file.path], "a file"),
                (["node", "--id", "n1", "--config", directory.file("absent").path], "absent"),
            ] {
                let ending = try await Program.run(arguments)
                #expect(ending.code == 78, "\(arguments): \(ending)")
                #expect(ending.errors.contains(name), "\(arguments): \(ending)")
            }
        }

        @Test func upReportsTheLogFileThatItCannotOpen() async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let log = directory.file("publisher.log")
            try FileManager.default.createDirectory(at: log, withIntermediateDirectories: false)
            let ending = try await Program.run(
                ["up", "--nodes", "1", "--dir", directory.url.path])
            #expect(ending.code == 78, "\(ending)")
            #expect(ending.errors.contains("\(log.path): Is a directory"), "\(ending)")
        }

        /// A publisher that is not there is waited for.
        @Test func aNodeWaitsForItsPublisher() async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let nobody = try TCPSocket.listening()
            let port = nobody.port
            nobody.close()
            let node = try RunningProgram(
                ["node", "--id", "n1", "--publisher", "tcp://127.0.0.1:\(port)"], name: "node",
                in: directory.url)
            defer { node.kill() }
            try await eventually("it listens") { node.errors.contains("listens on") }
            #expect(node.isRunning)
            node.signal(SIGTERM)
            #expect(try await node.ended(within: .seconds(15)) == 0)
        }
    }
}
