/// SipHash-2-4 [1]: a hash under a secret key. A reader of hashes can neither compute others nor
/// try out their inputs.
///
/// [1] Aumasson, Bernstein: SipHash, a fast short-input PRF, INDOCRYPT 2012.
package struct SipHash: Hashable, Sendable {
    private let key0: UInt64
    private let key1: UInt64

    /// - Parameters: the two halves of the key, drawn at random and kept secret.
    package init(key0: UInt64, key1: UInt64) {
        self.key0 = key0
        self.key1 = key1
    }

    /// - Complexity: O(bytes), about a nanosecond a byte.
    package func hash(_ bytes: [UInt8]) -> UInt64 {
        var state = State(key0, key1)
        let wholeCount = bytes.count & ~7
        for start in stride(from: 0, to: wholeCount, by: 8) {
            state.take(Self.word(bytes[start..<(start + 8)]))
        }
        let last = Self.word(bytes[wholeCount...]) | UInt64(bytes.count & 0xFF) << 56
        state.take(last)
        return state.finish()
    }

    /// The hash of 16 bytes, as two words in the order of their least bytes.
    ///
    /// - Complexity: O(1), and nothing is allocated.
    package func hash(_ first: UInt64, _ second: UInt64) -> UInt64 {
        var state = State(key0, key1)
        state.take(first)
        state.take(second)
        state.take(16 << 56)
        return state.finish()
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The four words that are stirred.
    private struct State {
        private var v0: UInt64
        private var v1: UInt64
        private var v2: UInt64
        private var v3: UInt64

        init(_ key0: UInt64, _ key1: UInt64) {
            v0 = key0 ^ 0x736F_6D65_7073_6575
            v1 = key1 ^ 0x646F_7261_6E64_6F6D
            v2 = key0 ^ 0x6C79_6765_6E65_7261
            v3 = key1 ^ 0x7465_6462_7974_6573
        }

        mutating func take(_ word: UInt64) {
            v3 ^= word
            stir()
            stir()
            v0 ^= word
        }

        mutating func finish() -> UInt64 {
            v2 ^= 0xFF
            for _ in 0..<4 { stir() }
            return v0 ^ v1 ^ v2 ^ v3
        }

        private mutating func stir() {
            v0 &+= v1
            v1 = StableHash.rotate(v1, 13) ^ v0
            v0 = StableHash.rotate(v0, 32)
            v2 &+= v3
            v3 = StableHash.rotate(v3, 16) ^ v2
            v0 &+= v3
            v3 = StableHash.rotate(v3, 21) ^ v0
            v2 &+= v1
            v1 = StableHash.rotate(v1, 17) ^ v2
            v2 = StableHash.rotate(v2, 32)
        }
    }
}
