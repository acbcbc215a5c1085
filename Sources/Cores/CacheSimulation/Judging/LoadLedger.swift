import CacheModel

/// The loads of one shard as the oracle saw them: which ones the shard began, and how they ended.
struct LoadLedger {
    struct Load {
        let item: Int
        let begunStep: Int
    }

    /// A load that returned a value, no value, or a confirmation that the value is unchanged.
    struct End {
        let fill: Int
        let step: Int
        let time: WorldTime
        /// The end of its value's freshness; `nil`: never.
        let endsAt: WorldTime?
    }

    /// Ends to keep for each key; a waiting reader is answered soon after the end of its load.
    private static let endsMax = 512

    private(set) var underWay: [UInt64: Load] = [:]
    private(set) var lastNumber: UInt64 = 0
    /// Of each key, oldest first.
    private var ends: [Int: [End]] = [:]
    /// When the shard last applied an invalidation of each key that covers any value.
    private var coveredSteps: [Int: Int] = [:]

    var areAny: Bool { lastNumber > 0 }

    mutating func begin(_ number: UInt64, of item: Int, step: Int) {
        lastNumber = number
        underWay[number] = Load(item: item, begunStep: step)
    }

    mutating func end(_ number: UInt64) -> Load? { underWay.removeValue(forKey: number) }

    mutating func note(_ end: End, of item: Int) {
        ends[item, default: []].append(end)
        if ends[item, default: []].count > Self.endsMax { ends[item]?.removeFirst() }
    }

    mutating func cover(_ keys: UInt64, step: Int) {
        for item in Catalog.items.indices where keys & 1 << UInt64(item) != 0 {
            coveredSteps[item] = step
        }
    }

    /// The steps at which the loads in flight of a key began.
    func beginnings(of item: Int) -> [Int] {
        underWay.values.filter { $0.item == item }.map(\.begunStep)
    }

    func ends(of item: Int) -> [End] { ends[item] ?? [] }

    func coveredStep(of item: Int) -> Int { coveredSteps[item] ?? 0 }
}
