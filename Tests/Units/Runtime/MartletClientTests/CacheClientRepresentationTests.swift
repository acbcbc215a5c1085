import CacheModel
import CacheWire
import MartletClient
import Testing
import Threading

/// What a value's bytes are, through the library.
@Suite struct CacheClientRepresentationTests {
    private static let page = Representation(
        contentType: RepresentationField("text/html; charset=utf-8"),
        contentEncoding: RepresentationField("gzip"),
        contentLanguage: RepresentationField("de"))

    private static var described: StoreOptions {
        var options = StoreOptions()
        options.representation = page
        return options
    }

    private static func found(_ key: CacheKey, by client: CacheClient) async throws -> CachedValue {
        var options = ReadOptions()
        options.wantsDetails = true
        return try #require(try await client.get(key, options: options))
    }

    @Test(arguments: [1, 600_000]) func aStoreBringsItToEveryReplica(size: Int) async throws {
        let cluster = try ScriptedCluster(.replicated, nodes: 2)
        try await cluster.withClient { client in
            _ = try await client.set(
                Sample.key("a"), to: [UInt8](repeating: 7, count: size), options: Self.described)
            for shard in cluster.shards {
                let kept = shard.store.withLock { $0.representation(of: Sample.bytes("a")) }
                #expect(kept == Self.page, "\(shard.name)")
            }
        }
    }

    @Test func aReadReturnsTheRepresentationAndAPlainStoreClearsIt() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            _ = try await client.set(Sample.key("a"), to: [1], options: Self.described)
            #expect(try await Self.found(Sample.key("a"), by: client).representation == Self.page)
            _ = try await client.set(Sample.key("a"), to: [1])
            #expect(try await Self.found(Sample.key("a"), by: client).representation.isEmpty)
        }
    }

    @Test func aLoadStoresItAndReturnsIt() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            let loaded = await client.load(Sample.key("a")) { _ in
                LoadedValue([1], options: Self.described)
            }
            #expect(loaded.representation == Self.page && loaded.notStored == nil)
            let stored = try await Self.found(Sample.key("a"), by: client)
            #expect(stored.representation == Self.page)
        }
    }
}
