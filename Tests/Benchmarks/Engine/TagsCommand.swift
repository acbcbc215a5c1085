import ArgumentParser
import CMeasure
import CacheMemory
import CacheModel

/// What tags cost a get, and what invalidating one costs.
struct TagsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tags", abstract: "Invalidate a tag of many entries; get tagged entries.")

    @Option var entries = 1_000_000
    @Option var rounds = 9

    func run() {
        costOfTags()
        invalidation()
        reclaiming()
    }

    private func costOfTags() {
        let subjects = [0, 1, 4].map { Subject.filled(entries, tags: $0) }
        let order = Subject.order(1 << 20, below: entries)
        for index in subjects.indices { _ = subjects[index].value.get(order) }
        var settled = [Sample(), Sample(), Sample()]
        var risen = settled
        for _ in 0..<rounds {
            for index in subjects.indices {
                let time = measured { _ = subjects[index].value.getInBatches(order) }
                settled[index].add(time / Double(order.count))
                subjects[index].value.invalidateTag(9_999)
                let checked = measured { _ = subjects[index].value.getInBatches(order) }
                risen[index].add(checked / Double(order.count))
            }
        }
        let none = settled[0].median
        Report.print("get without tags, batches of 64", Report.nanoseconds(none))
        for (index, count) in [(1, 1), (2, 4)] {
            Report.print(
                "more for \(count) tags, nothing invalidated since",
                Report.nanoseconds(settled[index].median - none),
                asked: count == 1 ? "≤ 10 ns" : "≤ 30 ns")
            Report.print(
                "more for \(count) tags, some other tag invalidated since",
                Report.nanoseconds(risen[index].median - none))
        }
    }

    private func invalidation() {
        var sample = Sample()
        let box = Subject.filled(entries, tags: 1)
        for _ in 0..<rounds * 11 {
            sample.add(measured { box.value.invalidateTag(0) })
        }
        Report.print(
            "invalidate a tag of \(entries) entries, median",
            Report.microseconds(sample.median), asked: "≤ 100 µs")
        Report.print("the slowest of \(sample.count)", Report.microseconds(sample.greatest))
    }

    /// Half of the cache is hidden by one tag; ticks come every millisecond, as in a shard that has
    /// urgent work.
    private func reclaiming() {
        let box = SubjectBox(Subject(budgetBytes: 2 << 30))
        var shape = Subject.Shape()
        shape.tagCount = 1
        shape.entriesPerTag = entries / 2
        box.value.fill(entries, shape)
        box.value.invalidateTag(1)
        let target = entries - entries / 2 * 99 / 100
        var (tickCount, work) = (0, Sample())
        while box.value.tier.entryCount > target {
            box.value.now = box.value.now.advanced(by: .milliseconds(1))
            let began = measure_thread_nanoseconds()
            box.value.tick()
            work.add(Double(measure_thread_nanoseconds() - began))
            tickCount += 1
        }
        Report.print(
            "space of half the cache back, ticks of 1 ms",
            "\(tickCount) ms", asked: "≤ 1000 ms")
        Report.print("longest of these ticks, processor time", Report.milliseconds(work.greatest))
    }
}

/// Holds a subject where an array or a closure must.
final class SubjectBox {
    var value: Subject

    init(_ value: consuming Subject) { self.value = value }
}

extension Subject {
    static func filled(_ count: Int, tags: Int) -> SubjectBox {
        let box = SubjectBox(Subject(budgetBytes: 2 << 30))
        var shape = Shape()
        shape.tagCount = tags
        box.value.fill(count, shape)
        return box
    }
}
