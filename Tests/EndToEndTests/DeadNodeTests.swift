import CacheModel
import MartletClient
import Testing
import TestSupport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension EndToEndTests {
    @Suite(.serialized) struct DeadNodeTests {
        @Test func aDeadOwnersKeysFailOrMissAndTheOthersAreServed() async throws {
            try await withCluster { cluster in
                let view = cluster.view
                let entries = SampleEntry.many(150)
                try await view.fill(entries)
                let victim = view.nodes[1]
                let lost = try await cluster.owned(by: victim, of: entries)
                let left = entries.filter { !lost.contains($0) }
                #expect(!lost.isEmpty && !left.isEmpty)
                ProcessTable.send(SIGKILL, to: try cluster.processID(of: victim))
                try await eventually("up reports it") { cluster.up.errors.contains("\(victim)") }

                var options = ReadOptions()
                // Long enough for who lives, on a machine that does much else.
                options.timeout = .seconds(3)
                let failing = await view.find(entries, at: nil, options)
                #expect(failing.fresh == Set(left.map(\.key)), "\(failing)")
                #expect(failing.failures.count == lost.count, "\(failing)")
                options.treatsUnreachableAsMiss = true
                let missing = await view.find(entries, at: nil, options)
                #expect(missing.fresh == Set(left.map(\.key)), "\(missing)")
                #expect(missing.missing == Set(lost.map(\.key)), "\(missing)")
                await expectStoreFails(lost[0], cluster.client)
                await expectLoadGoesOn(lost[0], cluster.client)

                // Pending while its grant runs, expired after it.
                let receipt = try await cluster.client.invalidate(
                    [Scope(.tag(.named("tag-1"), in: .default))], timeout: .seconds(15))
                #expect(receipt.isComplete)
                #expect(!receipt.applied.map(\.node).contains(victim))
                let kept = left.filter { $0.tags != ["tag-1"] }
                await view.expect(only: kept, of: left)
            }
        }

        private func expectStoreFails(_ entry: SampleEntry, _ client: CacheClient) async {
            var options = StoreOptions()
            options.timeout = .milliseconds(500)
            do {
                let stored = try await client.set(
                    .named(entry.key), to: entry.value, options: options)
                Issue.record("another node took the store of a dead owner: \(stored)")
            } catch {
                #expect([.disconnected, .timedOut].contains(error.code), "\(error)")
            }
        }

        private func expectLoadGoesOn(_ entry: SampleEntry, _ client: CacheClient) async {
            var options = LoadOptions()
            options.read.timeout = .milliseconds(500)
            let value = await client.load(.named(entry.key), options: options) { context in
                #expect(!context.willStore)
                return entry.loaded
            }
            #expect(value.bytes == entry.value)
            #expect(value.notStored != nil)
        }

        @Test func twoThousandRequestsInFlightAreAllAnswered() async throws {
            try await withCluster { cluster in
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                let outcomes = try Self.flood(endpoint, inFlight: 2_000, rounds: 3)
                #expect(outcomes[.miss] == 6_000, "\(outcomes)")
                // The same for one shard alone: nothing spreads the answers.
                let single = try Self.flood(
                    endpoint, inFlight: 2_000, rounds: 3, node: cluster.view.nodes[0])
                #expect(single[.miss] == 6_000, "\(single)")
            }
        }

        /// Asks for that many keys at once, each in a message of its own, and counts what came.
        private static func flood(
            _ endpoint: String, inFlight: Int, rounds: Int, node: NodeID? = nil
        ) throws -> [PipelinedOutcome: Int] {
            var options = PipelinedConnection.Options()
            options.window = inFlight
            options.node = node
            options.timeout = .seconds(20)
            var connection = try PipelinedConnection(endpoints: [endpoint], options: options)
            var counts: [PipelinedOutcome: Int] = [:]
            for _ in 0..<rounds {
                for number in 0..<inFlight {
                    let key = Array("absent-\(number)".utf8)
                    let isTaken = key.withUnsafeBytes {
                        connection.submitGet(key: $0, tag: UInt32(number))
                    }
                    if !isTaken { throw GaveUp("the window is full at \(number)") }
                }
                connection.flush()
                let deadline = ContinuousClock.now + .seconds(20)
                while connection.inFlightCount > 0, ContinuousClock.now < deadline {
                    _ = try connection.takeCompletions(limit: 256, timeout: .milliseconds(100)) {
                        counts[$0.outcome, default: 0] += 1
                    }
                }
            }
            return counts
        }
    }
}
