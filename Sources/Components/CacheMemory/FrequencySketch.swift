/// Estimates recent requests per key: a count-min sketch [1] of four rows with counters that
/// saturate at fifteen and are halved after ten lookups per expected entry.
///
/// [1] Cormode and Muthukrishnan, An improved data stream summary, 2005; aged after Einziger et
/// al., TinyLFU, 2017.
struct FrequencySketch {
    private static let rowCount = 4
    private static let countMax: UInt8 = 15

    private var counters: [UInt8] = []
    private var mask: UInt64 = 0
    private var additionCount = 0
    private var sampleCount = 0

    /// - Parameter entriesMax: the approximate maximum of entries.
    init(entriesMax: Int) {
        var width = 64
        while width < 2 * entriesMax { width *= 2 }
        counters = Array(repeating: 0, count: Self.rowCount * width)
        mask = UInt64(width - 1)
        sampleCount = max(100, 10 * entriesMax)
    }

    var memoryBytes: Int { counters.count }
    /// Entries it is sized for.
    var capacity: Int { sampleCount / 10 }

    /// The smallest of the key's counters.
    func estimate(_ hash: KeyHash) -> UInt8 {
        (0..<Self.rowCount).reduce(Self.countMax) { min($0, counters[index(hash, row: $1)]) }
    }

    /// Counts one lookup: only the counters equal to the estimate are incremented.
    mutating func count(_ hash: KeyHash) {
        let estimate = estimate(hash)
        if estimate < Self.countMax {
            for row in 0..<Self.rowCount {
                let index = index(hash, row: row)
                if counters[index] == estimate { counters[index] += 1 }
            }
        }
        additionCount += 1
        guard additionCount >= sampleCount else { return }
        additionCount /= 2
        for index in counters.indices { counters[index] /= 2 }
    }

    private func index(_ hash: KeyHash, row: Int) -> Int {
        let mixed = (hash.rawValue ^ UInt64(row) &* 0x9E37_79B9_7F4A_7C15)
            .multipliedFullWidth(by: 0xD1B5_4A32_D192_ED03)
        return row * Int(mask + 1) + Int((mixed.high ^ mixed.low) & mask)
    }
}
