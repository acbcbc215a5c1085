import ByteCoding

/// The different keys of a trace, numbered in the order of their first request.
///
/// A key takes its bytes, 8 for where they end, and 11 to 22 in the table of the search, which goes
/// when the trace is read.
///
/// - Complexity: O(bytes of the key) for a search, amortised.
struct TraceKeys: Sendable {
    /// Every key's bytes, one after the other.
    private(set) var bytes: [UInt8] = []
    /// Where each key's bytes begin, and at last where the next one's will.
    private(set) var bounds = [0]
    /// 0 for none; else half of the key's hash, and its number plus one.
    private var slots = [UInt64](repeating: 0, count: 1_024)
    private let hasher = KeyHasher(seed: .random(in: .min ... .max))

    var count: Int { bounds.count - 1 }

    /// The number of `key`, which is new if it equals ``count`` before the call.
    mutating func number(of key: UnsafeRawBufferPointer) -> UInt32 {
        let hash = hasher.hash(key, room: 0) >> 32
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let number = UInt32(truncatingIfNeeded: slots[slot]) - 1
            if slots[slot] >> 32 == hash, holds(key, at: Int(number)) { return number }
            slot = (slot + 1) & (slots.count - 1)
        }
        let number = UInt32(count)
        slots[slot] = hash << 32 | UInt64(number + 1)
        bytes.append(contentsOf: key)
        bounds.append(bytes.count)
        if count > slots.count / 4 * 3 { grow() }
        return number
    }

    /// Lets go of what only ``number(of:)`` needs, which must not be called any more.
    mutating func close() { slots = [] }

    private func holds(_ key: UnsafeRawBufferPointer, at number: Int) -> Bool {
        bytes.withUnsafeBytes { $0[bounds[number]..<bounds[number + 1]].elementsEqual(key) }
    }

    private mutating func grow() {
        var larger = [UInt64](repeating: 0, count: slots.count * 2)
        for entry in slots where entry != 0 {
            var slot = Int(truncatingIfNeeded: entry >> 32) & (larger.count - 1)
            while larger[slot] != 0 { slot = (slot + 1) & (larger.count - 1) }
            larger[slot] = entry
        }
        slots = larger
    }
}
