import CacheModel

/// What the oracle saw of the loads of one shard: which it ordered, and how they ended.
struct LoadLedger {
    struct Load {
        let item: Int
        let begunStep: Int
    }

    /// A load that brought a value, that there is none, or a word that it is unchanged.
    struct End {
        let fill: Int
        let step: Int
        let time: WorldTime
        /// From when on its value is not fresh; `nil`: never.
        let endsAt: WorldTime?
    }

    /// So many of a key's last ends are kept: who waits for one is answered soon after it.
    private static let endsMax = 512

    private(set) var underWay: [UInt64: Load] = [:]
    private(set) var lastNumber: UInt64 = 0
    /// Of each key, oldest first.
    private var ends: [Int: [End]] = [:]
    /// When an invalidation of each key, whatever its value, was obeyed last.
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

    /// At which step the loads of a key that are under way began.
    func beginnings(of item: Int) -> [Int] {
        underWay.values.filter { $0.item == item }.map(\.begunStep)
    }

    func ends(of item: Int) -> [End] { ends[item] ?? [] }

    func coveredStep(of item: Int) -> Int { coveredSteps[item] ?? 0 }
}
