import Foundation
import Testing
import TestSupport
import ZeroMQ

extension EndToEndTests {
    /// What each command says of a cluster that is not there, and how soon.
    @Suite(.serialized) struct UnreachableClusterTests {
        /// Every command that speaks to a cluster.
        static let commands = [
            ["get", "k"], ["get", "k", "--json"], ["set", "k", "v"], ["delete", "k"],
            ["touch", "k", "--ttl", "1h"], ["status"], ["config", "show"], ["explain", "k"],
            ["scan"], ["tail"], ["queue", "list"], ["pacing", "list"], ["forget", "n1"],
            ["drain", "n1"], ["invalidate", "key", "k"], ["invalidate", "tag", "t", "--dry-run"],
            ["prefetch", "k"], ["verify"], ["top", "--once"],
        ]
        /// What a busy machine may add to a time.
        private static let slack: Duration = .seconds(5)

        private func run(
            _ command: [String], _ endpoint: String, timeout: String
        ) async throws -> (ending: Program.Ending, took: Duration) {
            let start = ContinuousClock.now
            let ending = try await Program.run(
                command + ["--cluster", endpoint, "--timeout", timeout])
            return (ending, ContinuousClock.now - start)
        }

        /// Nothing listens there any more.
        private func deadEndpoint() throws -> String {
            let context = try Context()
            let socket = try Socket(context, .router)
            return try socket.bind(Endpoint("tcp://127.0.0.1:0")).description
        }

        @Test(arguments: commands) func aRefusedConnectionIsSaidAtOnce(
            _ command: [String]
        ) async throws {
            let endpoint = try deadEndpoint()
            let (ending, took) = try await run(command, endpoint, timeout: "60s")
            #expect(ending.code == 3, "\(command): \(ending)")
            #expect(ending.errors.contains("\(endpoint) refuses connections"), "\(ending)")
            #expect(took < Self.slack, "\(command) took \(took)")
        }

        @Test(arguments: commands) func aListenerThatNeverAnswersCostsTheTimeoutAndNoMore(
            _ command: [String]
        ) async throws {
            let listener = try TCPSocket.listening()
            defer { listener.close() }
            let endpoint = "tcp://127.0.0.1:\(listener.port)"
            let (ending, took) = try await run(command, endpoint, timeout: "1s")
            #expect(ending.code == 3, "\(command): \(ending)")
            #expect(
                ending.errors.contains("\(endpoint) takes connections and does not answer"),
                "\(command): \(ending)")
            #expect(took >= .milliseconds(900) && took < .seconds(1) + Self.slack, "\(took)")
        }

        @Test func aHostWithoutAnAddressIsNamed() async throws {
            let endpoint = "tcp://no-such-host.invalid:7400"
            let (ending, took) = try await run(["get", "k"], endpoint, timeout: "10s")
            #expect(ending.code == 3, "\(ending)")
            #expect(ending.errors.contains("the host of \(endpoint) is not known"), "\(ending)")
            #expect(took < .seconds(10) + Self.slack)
        }

        /// One that does not refuse may still answer.
        @Test func oneOfTwoThatRefusesEndsNothing() async throws {
            let listener = try TCPSocket.listening()
            defer { listener.close() }
            let silent = "tcp://127.0.0.1:\(listener.port)"
            let dead = try deadEndpoint()
            let (ending, took) = try await run(["get", "k"], "\(dead),\(silent)", timeout: "2s")
            #expect(ending.code == 3 && took >= .milliseconds(1_900), "\(ending)")
            #expect(ending.errors.contains("\(dead) refuses connections"), "\(ending)")
            #expect(ending.errors.contains("\(silent) takes connections"), "\(ending)")
        }
    }
}
