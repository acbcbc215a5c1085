extension StableHash {
    /// The hash by which a key finds its shard, and by which ranges of keys are named: of the
    /// namespace's name, a zero byte and the key [1].
    ///
    /// - Complexity: O(bytes). Allocates nothing for keys of ordinary length.
    ///
    /// [1] docs/protocol.md, section 6.
    package static func route(
        _ name: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer
    ) -> UInt64 {
        withUnsafeTemporaryAllocation(
            byteCount: name.count + 1 + key.count, alignment: 8
        ) { room in
            room.copyBytes(from: name)
            room[name.count] = 0
            UnsafeMutableRawBufferPointer(rebasing: room[(name.count + 1)...])
                .copyBytes(from: key)
            return hash(UnsafeRawBufferPointer(room))
        }
    }

    /// The hash of a shard's own name, which its keys are scored against.
    package static func slot(_ node: String, shard: UInt16) -> UInt64 {
        hash(Array(node.utf8) + [0, UInt8(shard & 0xFF), UInt8(shard >> 8)])
    }
}
