public import CacheModel
public import ByteCoding

/// By what a key is mapped to its shard: XXH64 of namespace, a zero byte and key [1], and the slot
/// of the key where the log assigns slots [2].
///
/// [1] docs/protocol.md, section 6. [2] ``CacheModel/HashSlot``.
public struct RouteHash: Hashable, Sendable {
    @usableFromInline package let rawValue: UInt64
    @usableFromInline package let slot: HashSlot

    @inlinable
    package init(_ rawValue: UInt64, slot: HashSlot) {
        (self.rawValue, self.slot) = (rawValue, slot)
    }

    /// The route hash of a key in the namespace of this name.
    ///
    /// - Complexity: O(bytes). Allocates nothing for keys of ordinary length.
    package init(of key: UnsafeRawBufferPointer, in namespace: UnsafeRawBufferPointer) {
        rawValue = StableHash.route(namespace, key)
        slot = HashSlot(of: key)
    }

    /// - Complexity: O(bytes).
    package init(of key: [UInt8], in namespace: Namespace) {
        var name = namespace.name
        self = name.withUTF8 { name in
            key.withUnsafeBytes { RouteHash(of: $0, in: UnsafeRawBufferPointer(name)) }
        }
    }
}

/// Hashes many keys of one namespace: the namespace is written once, each key after it.
///
/// Not copyable, because it owns its scratch memory; allocates nothing after its creation.
public struct RouteHasher: ~Copyable {
    @usableFromInline package var scratch: ByteWriter
    @usableFromInline package let prefixBytes: Int
    /// Whether slots are computed, too: only with a topology that has them. Else they are 0.
    @usableFromInline package var areSlotsNeeded = false

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
        return RouteHash(
            StableHash.hash(scratch.bytes), slot: areSlotsNeeded ? HashSlot(of: key) : .first)
    }
}
