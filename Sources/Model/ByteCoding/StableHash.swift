/// XXH64 [1]: the hash that the outside may rely on – routing and the log's digest.
///
/// Its values are part of the protocol and never change; docs/protocol.md has golden values. The
/// index inside a node uses ``KeyHasher`` instead, so that no client can aim keys at one bucket.
///
/// - Complexity: O(bytes), about a byte in a tenth of a nanosecond.
///
/// [1] Yann Collet, xxHash fast digest algorithm, XXH64 specification, version 0.1.1.
public struct StableHash {
    @usableFromInline package static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    @usableFromInline package static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    @usableFromInline package static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    @usableFromInline package static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    @usableFromInline package static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    /// The hash of `bytes` under `seed`.
    @inlinable
    package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        var offset = 0
        var hash: UInt64
        if bytes.count >= 32 {
            hash = stripes(bytes, seed: seed, offset: &offset)
        } else {
            hash = seed &+ prime5
        }
        hash &+= UInt64(bytes.count)
        return finish(bytes, from: offset, hash: hash)
    }

    @inlinable
    package static func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        bytes.withUnsafeBytes { hash($0, seed: seed) }
    }

    /// Four lanes over blocks of 32 bytes, then joined.
    @inlinable
    package static func stripes(
        _ bytes: UnsafeRawBufferPointer, seed: UInt64, offset: inout Int
    ) -> UInt64 {
        var lane1 = seed &+ prime1 &+ prime2
        var lane2 = seed &+ prime2
        var lane3 = seed
        var lane4 = seed &- prime1
        while bytes.count &- offset >= 32 {
            lane1 = round(lane1, word(bytes, offset))
            lane2 = round(lane2, word(bytes, offset &+ 8))
            lane3 = round(lane3, word(bytes, offset &+ 16))
            lane4 = round(lane4, word(bytes, offset &+ 24))
            offset &+= 32
        }
        var hash = rotate(lane1, 1) &+ rotate(lane2, 7) &+ rotate(lane3, 12) &+ rotate(lane4, 18)
        hash = merge(hash, lane1)
        hash = merge(hash, lane2)
        hash = merge(hash, lane3)
        return merge(hash, lane4)
    }

    /// The last 0 to 31 bytes, then the avalanche.
    @inlinable
    package static func finish(
        _ bytes: UnsafeRawBufferPointer, from start: Int, hash start64: UInt64
    ) -> UInt64 {
        var offset = start
        var hash = start64
        while bytes.count &- offset >= 8 {
            hash ^= round(0, word(bytes, offset))
            hash = rotate(hash, 27) &* prime1 &+ prime4
            offset &+= 8
        }
        if bytes.count &- offset >= 4 {
            let half = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            hash ^= UInt64(UInt32(littleEndian: half)) &* prime1
            hash = rotate(hash, 23) &* prime2 &+ prime3
            offset &+= 4
        }
        while offset < bytes.count {
            hash ^= UInt64(bytes[offset]) &* prime5
            hash = rotate(hash, 11) &* prime1
            offset &+= 1
        }
        hash = (hash ^ (hash >> 33)) &* prime2
        hash = (hash ^ (hash >> 29)) &* prime3
        return hash ^ (hash >> 32)
    }

    @inlinable
    package static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inlinable
    package static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
        rotate(lane &+ input &* prime2, 31) &* prime1
    }

    @inlinable
    package static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
        (hash ^ round(0, lane)) &* prime1 &+ prime4
    }

    @inlinable
    package static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
        (value << count) | (value >> (64 &- count))
    }

    /// The finaliser of SplitMix64 [2]: every input bit reaches every output bit.
    ///
    /// [2] Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014.
    @inlinable
    package static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

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
    package static func shard(_ node: String, shard: UInt16) -> UInt64 {
        hash(Array(node.utf8) + [0, UInt8(shard & 0xFF), UInt8(shard >> 8)])
    }
}
