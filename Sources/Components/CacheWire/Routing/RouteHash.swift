package import CacheModel
public import ByteCoding

/// The hash that maps a key to its shard: XXH64 of namespace, a zero byte and key [1].
///
/// [1] docs/protocol.md, section 6.
public struct RouteHash: Hashable, Sendable {
    @usableFromInline package let rawValue: UInt64

    @inlinable
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The route hash of `key` in `namespace`. Allocates nothing for keys of ordinary length.
    ///
    /// - Complexity: O(bytes).
    package init(of key: [UInt8], in namespace: Namespace) {
        var name = namespace.name
        rawValue = name.withUTF8 { name in
            key.withUnsafeBytes { StableHash.route(UnsafeRawBufferPointer(name), $0) }
        }
    }
}

/// Hashes many keys of one namespace: the namespace is written once, each key after it.
///
/// Not copyable, because it owns its scratch memory; allocates nothing after its creation.
public struct RouteHasher: ~Copyable {
    @usableFromInline package var scratch: ByteWriter
    @usableFromInline package let prefixBytes: Int

    package init(_ namespace: Namespace) {
        scratch = ByteWriter(capacityBytes: 8_192)
        scratch.append(Array(namespace.name.utf8))
        scratch.append(UInt8(0))
        prefixBytes = scratch.count
    }

    @inlinable
    package mutating func hash(_ key: UnsafeRawBufferPointer) -> RouteHash {
        scratch.truncate(to: prefixBytes)
        scratch.append(key)
        return RouteHash(StableHash.hash(scratch.bytes))
    }
}
