/// Remembered keys without values, and the bank that each was evicted from: two bytes per key.
///
///     word   │ newest │        │        │ oldest │     four cells of a fingerprint and an origin
///
/// A key has one word; remembering shifts it and drops the oldest cell. There are about as many
/// cells as resident entries. A false match – one in eight thousand – promotes an undeserving
/// entry, which only costs memory for a while.
struct GhostWords {
    enum Origin: Int {
        case small = 0
        case main = 1
    }

    private var words: [UInt64] = []
    /// Cells by origin.
    private(set) var counts: [Int] = [0, 0]

    var memoryBytes: Int { words.count * 8 }

    /// The bank that the key was evicted from, if remembered; its ghost is removed.
    mutating func take(_ hash: KeyHash) -> Origin? {
        guard !words.isEmpty else { return nil }
        let index = index(of: hash)
        let word = words[index]
        for cell in 0..<4 {
            let bits = word >> UInt64(16 * cell) & 0xFFFF
            guard bits & 0x7FFF == Self.fingerprint(hash) else { continue }
            let newer: UInt64 = 1 << UInt64(16 * cell) - 1
            words[index] = word & newer | (word >> 16) & ~newer
            counts[Int(bits >> 15)] -= 1
            return Origin(rawValue: Int(bits >> 15))
        }
        return nil
    }

    mutating func remember(_ hash: KeyHash, from origin: Origin) {
        guard !words.isEmpty else { return }
        let index = index(of: hash)
        let forgotten = words[index] >> 48
        if forgotten != 0 { counts[Int(forgotten >> 15)] -= 1 }
        counts[origin.rawValue] += 1
        words[index] =
            words[index] << 16 | Self.fingerprint(hash) | UInt64(origin.rawValue) << 15
    }

    /// Grows to about as many ghosts as entries; never shrinks. Words keep their order by hash, so
    /// most ghosts are still found.
    ///
    /// - Complexity: O(1), occasionally O(entries), by a quarter more each time.
    mutating func grow(entryCount: Int) {
        let wanted = Self.roundedDown(entryCount / 4)
        guard wanted > words.count else { return }
        let old = words
        counts = [0, 0]
        words = (0..<wanted).map { index in
            old.isEmpty ? 0 : old[(2 * index + 1) * old.count / (2 * wanted)]
        }
        for word in words {
            for cell in 0..<4 {
                let bits = word >> UInt64(16 * cell) & 0xFFFF
                if bits != 0 { counts[Int(bits >> 15)] += 1 }
            }
        }
    }

    private func index(of hash: KeyHash) -> Int {
        Int(((hash.rawValue >> 32) * UInt64(words.count)) >> 32)
    }

    private static func fingerprint(_ hash: KeyHash) -> UInt64 {
        let bits = hash.rawValue & 0x7FFF
        return bits == 0 ? 1 : bits
    }

    /// 1, 2, 3, or 4 to 7 times a power of two.
    private static func roundedDown(_ count: Int) -> Int {
        guard count >= 4 else { return count }
        let shift = 61 - count.leadingZeroBitCount
        return (count >> shift) << shift
    }
}
