import ByteCoding
import CacheDisk
import Storage
import CacheModel
import TestSupport
import Threading

/// Reads entries that are not in the page cache, each once and in random order: one by one, then
/// many at a time.
struct DiskFileReading {
    let path: String
    let geometry: DiskGeometry
    /// Entries that are there.
    let numbers: Range<Int>
    let reads: Int
    let depth: Int

    func run(_ engine: FileStorageOptions.Engine) throws {
        let tier = try DrivenTier(path, geometry, engine)
        let name = tier.storage.isReadByRing ? "ring" : "threads"
        if engine == .ring, !tier.storage.isReadByRing {
            return print("This system has no ring, or forbids it.")
        }
        var chance = SeededGenerator(seed: tier.tier.superblock.tier)
        var order = Array(numbers).shuffled(using: &chance)
        try oneByOne(tier, order.prefix(reads), name)
        order.removeFirst(min(reads, order.count))
        try manyAtATime(tier, order.prefix(2 * reads), name)
        try tier.close()
    }

    private func oneByOne(_ tier: DrivenTier, _ order: ArraySlice<Int>, _ name: String) throws {
        try DiskFileBytes.leavePageCache(path)
        let fetched = DiskFileBytes.fetched
        var times = Percentiles()
        var others = 0
        for number in order {
            let began = MonotonicClock.now
            let found = try tier.read(number)
            times.add(MonotonicClock.now.nanoseconds - began.nanoseconds)
            guard let found else { throw GaveUp("\(number) is not there") }
            others += found == number ? 0 : 1
        }
        try check(others, order.count)
        Report.print(
            "get, \(name), depth 1: p50", Report.microseconds(times.at(0.5)),
            asked: "≤ 1.6 × fio, stretch 1.3")
        Report.print("get, \(name), depth 1: p99", Report.microseconds(times.at(0.99)))
        show(fetched, order.count, "get, \(name), depth 1")
    }

    private func manyAtATime(
        _ tier: DrivenTier, _ order: ArraySlice<Int>, _ name: String
    ) throws {
        try DiskFileBytes.leavePageCache(path)
        let fetched = DiskFileBytes.fetched
        var waiting = order
        var awaited: [DiskTicket: Int] = [:]
        var (answered, others) = (0, 0)
        let began = MonotonicClock.now
        while answered < order.count {
            while awaited.count < depth, let number = waiting.popFirst() {
                switch tier.find(number) {
                case .reading(let ticket): awaited[ticket] = number
                case .resident: answered += 1
                case .absent, .shed: throw GaveUp("\(number) is not there")
                }
            }
            try tier.turnOrWait()
            for one in tier.takeNews() {
                guard case .found(let ticket, let record) = one,
                    let number = awaited.removeValue(forKey: ticket)
                else { throw GaveUp("an entry was not read") }
                answered += 1
                others += DrivenTier.number(record) == number ? 0 : 1
            }
        }
        let seconds = Double(MonotonicClock.now.nanoseconds - began.nanoseconds) / 1e9
        Report.print(
            "get, \(name), depth \(depth)",
            Report.number(Double(answered) / seconds / 1e3) + " k/s",
            asked: "≥ 0.6 × fio, stretch 0.8")
        show(fetched, order.count, "get, \(name), depth \(depth)")
        try check(others, order.count)
    }

    /// Of two keys with one fingerprint the disk has the later, and the node would compare them.
    private func check(_ others: Int, _ count: Int) throws {
        guard others * 1_000 <= count else {
            throw GaveUp("\(others) of \(count) reads brought another key's record")
        }
    }

    private func show(_ fetched: Int?, _ count: Int, _ name: String) {
        guard let fetched, let now = DiskFileBytes.fetched else { return }
        Report.print(
            name + ": bytes fetched",
            Report.number(Double(now - fetched) / Double(count), digits: 0) + " B a get")
    }
}

/// Times, and how many of them lie below.
struct Percentiles {
    private var values: [UInt64] = []

    mutating func add(_ nanoseconds: UInt64) { values.append(nanoseconds) }

    func at(_ share: Double) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        return Double(sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))])
    }
}
