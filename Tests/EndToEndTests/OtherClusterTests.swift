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
    /// One cluster is taken for another: docs/decisions/0089.
    @Suite(.serialized) struct OtherClusterTests {
        /// Where the processes of two clusters listen, and those that run.
        private final class Stage {
            let directory: TemporaryDirectory
            private var running: [RunningProgram] = []

            init() throws { directory = try TemporaryDirectory() }

            func place(_ name: String) -> String { "ipc://\(directory.file(name).path)" }

            func publisher(_ name: String) throws -> RunningProgram {
                try run(
                    "publisher-\(name)",
                    [
                        "publisher", "--nodes", "1", "--bind", place(name), "--live",
                        place("\(name)-live"),
                    ])
            }

            func node(of cluster: String, at shard: String) throws -> RunningProgram {
                try run(
                    "node-\(cluster)",
                    [
                        "node", "--id", "n1", "--publisher", place(cluster), "--live",
                        place("\(cluster)-live"), "--bind", place(shard), "--shards", "1",
                    ])
            }

            private func run(_ name: String, _ arguments: [String]) throws -> RunningProgram {
                let program = try RunningProgram(arguments, name: name, in: directory.url)
                running.append(program)
                return program
            }

            /// Runs a command of the user, whose cache directory is this stage's.
            func command(_ arguments: [String], of cluster: String) async throws -> (Int32, String)
            {
                let program = try RunningProgram(
                    arguments, name: "command", in: directory.url,
                    environment: [
                        "XDG_CACHE_HOME": directory.url.path, "MARTLET_CLUSTER": place(cluster),
                    ])
                defer { program.kill() }
                return (try await program.ended(), program.output + program.errors)
            }

            func isLive(_ cluster: String) async throws {
                let client = try CacheClient(
                    CacheClientConfiguration(endpoints: [place(cluster)]))
                try await eventually("the node of \(cluster) is live") {
                    let topology = try await client.cluster.topology(isRefreshed: true)
                    return topology.nodes.allSatisfy { $0.state == .live }
                        && topology.cluster != .none
                }
                await client.close()
            }

            func end() {
                for program in running { program.kill() }
                directory.remove()
            }
        }

        private func key(_ name: String) throws -> CacheKey { try #require(CacheKey(name)) }

        /// Makes a call that fails, with more time until an answer came before its deadline.
        private func failure(
            of body: (Duration) async throws(CacheError) -> Void
        ) async -> CacheError? {
            var last: CacheError?
            for seconds in [1, 4, 16] {
                do throws(CacheError) {
                    try await body(.seconds(seconds))
                    return nil
                } catch {
                    last = error
                }
                if last?.code != .timedOut { break }
            }
            return last
        }

        /// kill -9 a node of A, start a node of B on its endpoint.
        @Test func clientsRejectANodeOfAnotherClusterAtAKnownEndpoint() async throws {
            let stage = try Stage()
            defer { stage.end() }
            _ = try stage.publisher("a")
            let node = try stage.node(of: "a", at: "shard")
            try await stage.isLive("a")
            let client = try CacheClient(CacheClientConfiguration(endpoints: [stage.place("a")]))
            _ = try await client.set(try key("k"), to: Array("of a".utf8))
            node.signal(SIGKILL)
            _ = try await node.ended()
            _ = try stage.publisher("b")
            _ = try stage.node(of: "b", at: "shard")
            try await stage.isLive("b")
            let other = try CacheClient(CacheClientConfiguration(endpoints: [stage.place("b")]))
            _ = try await other.set(try key("k"), to: Array("of b".utf8))
            let get = await failure { time throws(CacheError) in
                var options = ReadOptions()
                options.timeout = time
                _ = try await client.get(.named("k"), options: options)
            }
            #expect(get?.code == .disconnected)
            let set = await failure { time throws(CacheError) in
                var options = StoreOptions()
                options.timeout = time
                _ = try await client.set(
                    .named("k"), to: Array("of a again".utf8), options: options)
            }
            #expect(set?.code == .disconnected && set?.mayHaveHappened == false)
            #expect(try await other.get(try key("k"))?.bytes == Array("of b".utf8))
            await client.close()
            await other.close()
        }

        /// Stop cluster A, start B on the endpoint of A's node, and go on naming A.
        @Test func aKeptEndpointThatAnotherClusterHasNowIsNotActedOn() async throws {
            let stage = try Stage()
            defer { stage.end() }
            let publisher = try stage.publisher("a")
            let node = try stage.node(of: "a", at: "shard")
            try await stage.isLive("a")
            let kept = try await stage.command(["set", "k", "of a"], of: "a")
            #expect(kept.0 == 0, "\(kept.1)")
            for program in [publisher, node] {
                program.signal(SIGKILL)
                _ = try await program.ended()
            }
            _ = try stage.publisher("b")
            _ = try stage.node(of: "b", at: "shard")
            try await stage.isLive("b")
            let other = try CacheClient(CacheClientConfiguration(endpoints: [stage.place("b")]))
            _ = try await other.set(try key("k"), to: Array("of b".utf8))
            let head = try await other.cluster.publisherStatus().position
            for words in [
                ["get", "k"], ["set", "k", "of a again"], ["invalidate", "all", "--yes"],
            ] {
                let ending = try await stage.command(words + ["--timeout", "1s"], of: "a")
                #expect(ending.0 != 0, "\(words): \(ending.1)")
                #expect(!ending.1.contains("of b"))
            }
            #expect(try await other.get(try key("k"))?.bytes == Array("of b".utf8))
            #expect(try await other.cluster.publisherStatus().position == head)
            await other.close()
        }
    }
}
