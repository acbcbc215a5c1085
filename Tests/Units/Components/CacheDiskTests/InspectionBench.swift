import CacheDisk
import CacheModel

/// An inspection of a file that is an array, as the shell has it done.
struct InspectionBench {
    var machine = DiskBench.machine
    var now = Instant(nanoseconds: 5_000_000)
    var verifies = true
    /// Ranges that cannot be read.
    var unreadable: Range<Int>?

    struct Found {
        var facts: TierFacts
        var records: [InspectedRecord]

        /// What is live, with its key and place.
        var live: [InspectedRecord] { records.filter { [.live, .expired].contains($0.state) } }

        func states(of key: String) -> [InspectedRecord.State] {
            records.filter { $0.content?.key == Array(key.utf8) }.map(\.state)
        }

        var kinds: [InspectedRecord.State] { records.map(\.state) }

        var recoveredCount: Int? {
            if case .recovered(let count, _) = facts.log { count } else { nil }
        }
    }

    func inspect(_ image: [UInt8]) throws(InspectionFailure) -> Found {
        var plan = try InspectionPlan(
            head: Array(image.prefix(DiskLimits.pageBytes)), fileBytes: image.count,
            machine: machine, now: now)
        plan.verifies = verifies
        plan.lists = true
        var inspection = TierInspection(plan, tail: Array(image[plan.tailRange]))
        while true {
            switch inspection.next() {
            case .read(let range):
                let isReadable = unreadable.map { !$0.overlaps(range) } ?? true
                inspection.take(isReadable ? Array(image[range]) : nil)
            case .turn: continue
            case .end: return Found(facts: inspection.facts, records: inspection.records)
            }
        }
    }
}
