import ByteCoding
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// A shard applies a record that is narrowed to a range of route hashes for exactly the keys in it.
@Suite struct ShardCorePacingTests {
    private static let keys = (0..<256).map { "k\($0)" }

    /// As the fourth of eight slices of a paced invalidation is.
    private static let slice: ClosedRange<UInt64> = 3 << 61...(4 << 61) - 1

    private static func filled(_ namespaces: [Namespace]) -> ShardHarness {
        var shard = ShardHarness()
        let description = SetOperation.Description(tags: [.named("all")])
        for namespace in namespaces {
            for key in keys {
                let stored = shard.set(key, "v", description, RequestShape(namespace: namespace))
                precondition(stored.status == .stored)
            }
        }
        return shard
    }

    private static func hidden(_ shard: inout ShardHarness, in namespace: Namespace) -> [String] {
        keys.filter { shard.get($0, [], RequestShape(namespace: namespace)).status == .miss }
    }

    private static func covered(in namespace: Namespace) -> [String] {
        keys.filter { key in
            Array(namespace.name.utf8).withUnsafeBytes { name in
                Array(key.utf8).withUnsafeBytes { slice.contains(StableHash.route(name, $0)) }
            }
        }
    }

    @Test(arguments: ["", "images"])
    func exactlyTheKeysOfTheRangeAreHiddenWhateverTheScope(name: String) throws {
        let namespace = try name.isEmpty ? .default : #require(Namespace(name))
        let covered = Self.covered(in: namespace)
        try #require(covered.count > 8 && covered.count < 128)
        let scopes: [Scope.Target] = [
            .everything, .namespace(namespace), .tag(.named("all"), in: namespace),
            .prefix(Array("k".utf8), in: namespace),
        ]
        for scope in scopes {
            var shard = Self.filled([namespace])
            _ = shard.invalidate(Scope(scope, hashRange: Self.slice))
            #expect(Self.hidden(&shard, in: namespace) == covered, "\(scope)")
        }
    }

    @Test func everythingIsNarrowedByTheHashesOfEachNamespace() throws {
        let other = try #require(Namespace("images"))
        var shard = Self.filled([.default, other])
        _ = shard.invalidate(Scope(.everything, hashRange: Self.slice))
        #expect(Self.hidden(&shard, in: .default) == Self.covered(in: .default))
        #expect(Self.hidden(&shard, in: other) == Self.covered(in: other))
        #expect(Self.covered(in: .default) != Self.covered(in: other))
    }

    @Test func onlyLoadsInTheInvalidatedHashRangeBecomeVoid() {
        var shard = ShardHarness()
        let covered = Set(Self.covered(in: .default))
        let tokens = Self.keys.prefix(40).map { ($0, shard.token(for: $0)) }
        _ = shard.invalidate(Scope(.everything, hashRange: Self.slice))
        for (key, token) in tokens {
            let outcome = shard.fill(key, "loaded before", token)
            #expect((outcome.status == .stored) == !covered.contains(key), "\(key)")
        }
    }

    @Test func theSlicesTogetherHideEverything() {
        var shard = Self.filled([.default])
        for slice in 0..<UInt64(8) {
            let range = slice << 61...((slice << 61) | ((1 << 61) - 1))
            _ = shard.invalidate(Scope(.everything, hashRange: range))
        }
        #expect(Self.hidden(&shard, in: .default) == Self.keys)
    }
}
