/// Which buckets of the floor snapshot the keys and tags of one namespace fall into.
///
/// Publisher and nodes compute the same: the numbers are part of the protocol and never change
/// (docs/protocol.md, 8.5). Two names of one bucket share its floor, which hides more.
public struct FloorBuckets: Hashable, Sendable {
    @usableFromInline package static let bits: UInt64 = 22
    /// How many buckets there are.
    @inlinable package static var count: Int { 1 << Int(bits) }

    @usableFromInline package let keySeed: UInt64
    @usableFromInline package let tagSeed: UInt64

    /// - Parameter namespace: the bytes of its name; the default one has a name too.
    @inlinable
    package init(namespace: UnsafeRawBufferPointer) {
        keySeed = StableHash.hash(namespace)
        tagSeed = ~keySeed
    }

    @inlinable
    package func bucket(ofKey key: UnsafeRawBufferPointer) -> Int {
        Int(StableHash.hash(key, seed: keySeed) >> (64 - Self.bits))
    }

    @inlinable
    package func bucket(ofTag tag: UnsafeRawBufferPointer) -> Int {
        Int(StableHash.hash(tag, seed: tagSeed) >> (64 - Self.bits))
    }
}
