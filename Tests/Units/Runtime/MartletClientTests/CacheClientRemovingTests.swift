import CacheModel
import CacheWire
import MartletClient
import Threading
import Testing

@Suite struct CacheClientRemovingTests {
    @Test func aRemovalIsSeenByTheSessionsNextRead() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        try await cluster.withClient { client in
            _ = try await client.set(Sample.key("a"), to: [1])
            let position = try await client.delete([Sample.key("a"), Sample.key("b")])
            #expect(position == LogPosition("1:2") || position == LogPosition("1:1"))
            #expect(try await client.get(Sample.key("a")) == nil)
            let gets = cluster.shards.flatMap {
                $0.script.withLock { $0.seen.filter { $0.type == .get } }
            }
            #expect(gets.map(\.atLeast) == [position])
            #expect(client.position >= position)
        }
    }

    /// A node that has asked a publisher that hangs, or has had the removal ordered and does not
    /// obey it yet, cannot take it back.
    @Test(
        arguments: [
            (.refused, StoreRefusal.publisherUnreachable.rawValue, true),
            (.refused, StoreRefusal.outOfRange.rawValue, false),
            (.behind, BehindReason.position.rawValue, true),
        ] as [(ResultStatus, UInt8, Bool)])
    func aRemovalThatMayBeCarriedOutLaterIsNotCalledUndone(
        status: ResultStatus, detail: UInt8, mayHaveHappened: Bool
    ) async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient({ $0.timeout = .seconds(2) }) { client in
            cluster.shards[0].script.withLock {
                $0.status = status
                $0.detail = detail
            }
            let error = await failure { () throws(CacheError) in
                try await client.delete([Sample.key("a")])
            }
            #expect(error?.mayHaveHappened == mayHaveHappened, "\(error as Any)")
        }
    }

    @Test func touchTellsWhichKeysWereThere() async throws {
        let cluster = try ScriptedCluster(.replicated, nodes: 2)
        try await cluster.withClient { client in
            _ = try await client.set(Sample.key("a"), to: [1])
            let found = try await client.touch(
                [Sample.key("a"), Sample.key("b")], lifetime: .after(.seconds(5)))
            #expect(found == [true, false])
            #expect(try await client.touch(Sample.key("b"), lifetime: .never) == false)
        }
        #expect(cluster.shards.allSatisfy { $0.script.withLock { $0.count(.touch) } == 2 })
    }

    @Test func anInvalidationBringsAReceipt() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        try await cluster.withClient { client in
            _ = try await client.set(Sample.key("a"), to: [1])
            let receipt = try await client.invalidate([
                Scope(.key(Sample.key("a"), in: .default))
            ])
            #expect(receipt.isComplete && receipt.wait == .all)
            #expect(receipt.position == LogPosition("1:1") && receipt.pending.isEmpty)
            #expect(receipt.applied.map(\.node) == ["n0", "n1"].map(Sample.node))
            #expect(receipt.applied[0].elapsed == .milliseconds(2))
            #expect(try await client.get(Sample.key("a")) == nil)
            #expect(client.position == receipt.position)
        }
    }

    @Test func anInvalidationCarriesANameSoThatItCanBeRepeated() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            for _ in 0..<2 { _ = try await client.invalidate([Scope(.everything)], wait: .none) }
        }
        let names = cluster.publisher.script.withLock {
            $0.seen.filter { $0.type == .invalidate }.map(\.operation)
        }
        #expect(names.count == 2 && names[0] != .none && names[0] != names[1])
    }

    @Test func aScopeThatMeansNothingIsNotSent() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            let senseless = Scope(.everything, minimumVersion: Version(3))
            let long = (0..<100).map { number in
                Scope(.prefix(Array(repeating: UInt8(number), count: 4_000), in: .default))
            }
            let many = Array(repeating: Scope(.everything), count: 1_001)
            for scopes in [[], [senseless], long, many] {
                let error = await failure { () throws(CacheError) in
                    try await client.invalidate(scopes)
                }
                #expect(error?.code == .invalidArgument)
            }
        }
        #expect(cluster.publisher.script.withLock { $0.count(.invalidate) } == 0)
    }
}
