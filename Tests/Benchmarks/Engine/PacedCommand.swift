import ArgumentParser
import CMeasure
import CacheMemory
import CacheModel

/// A paced invalidation of everything, under reads that fill again what they miss.
struct PacedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "paced", abstract: "Everything is hidden slice by slice, under load.")

    @Option var entries = 1_000_000
    @Option(help: "Into how many parts; a power of two.") var slices = 256
    @Option(help: "Seconds of the pacing, told to the tier and not waited for.") var seconds = 30

    @Option(help: "How often each key is read between two slices.") var reads = 0.25

    /// Keys that one turn of a shard looks up: as many as it takes messages, one in each.
    private static let turnKeys = 64
    /// Between two slices.
    private static let ticks = 16

    func run() {
        let box = SubjectBox(Subject(budgetBytes: 2 << 30))
        let shape = Subject.Shape()
        box.value.nameNamespaces()
        box.value.fill(entries, shape)
        var draw = Draw(seed: 11)
        var (before, during, applying, ticking) = (Sample(), Sample(), Sample(), Sample())
        for _ in 0..<100_000 { before.add(turn(box, shape, &draw).time) }
        var missed: [Int] = []
        for slice in 0..<slices {
            applying.add(measured { box.value.hide(slice: slice, of: slices) })
            var count = 0
            let turns = Int(Double(entries) * reads) / Self.turnKeys
            for number in 0..<turns {
                let (time, misses) = turn(box, shape, &draw)
                during.add(time)
                count += misses
                if number % (turns / Self.ticks) == 0 { ticking.add(tick(box)) }
            }
            missed.append(count)
        }
        Report.print("hide one of \(slices) slices, median", Report.microseconds(applying.median))
        Report.print("the slowest", Report.microseconds(applying.greatest))
        print("turn of \(Self.turnKeys) gets before", before)
        print("turn of \(Self.turnKeys) gets and refills during", during)
        print("tick during", ticking)
        report(missed)
    }

    /// Looks up keys, and stores what is missing.
    private func turn(
        _ box: SubjectBox, _ shape: Subject.Shape, _ draw: inout Draw
    ) -> (time: Double, misses: Int) {
        var misses = 0
        let began = measure_thread_nanoseconds()
        for _ in 0..<Self.turnKeys {
            let number = draw.below(entries)
            if !box.value.has(number) {
                misses += 1
                box.value.store(number, shape)
            }
        }
        return (Double(measure_thread_nanoseconds() - began), misses)
    }

    private func tick(_ box: SubjectBox) -> Double {
        box.value.now = box.value.now.advanced(
            by: .milliseconds(Int64(seconds * 1_000 / slices / Self.ticks)))
        return measured { box.value.tick() }
    }

    private func print(_ name: String, _ sample: Sample) {
        Report.print("\(name), median", Report.microseconds(sample.median))
        let long = sample.count(above: 2e6)
        Report.print(
            "the longest; how many of \(sample.count) took more than 2 ms",
            "\(Report.microseconds(sample.greatest)); \(long)", asked: "0")
    }

    private func report(_ missed: [Int]) {
        // A thirtieth of the pacing is a second of one that takes thirty. What is hidden in one is
        // met a little later, so the first and the last are left out.
        let part = missed.count / 30
        let sums = stride(from: part, to: missed.count - part, by: part).map { start in
            missed[start..<start + part].reduce(0, +)
        }
        let mean = Double(sums.reduce(0, +)) / Double(sums.count)
        let (least, most) = (Double(sums.min() ?? 0), Double(sums.max() ?? 0))
        Report.print(
            "misses in each thirtieth, of the mean",
            "\(Report.number(least / mean, digits: 2)) – \(Report.number(most / mean, digits: 2))",
            asked: "0.8 – 1.2")
    }
}

extension Subject {
    mutating func nameNamespaces() { tier.nameNamespaces([Array("default".utf8)]) }

    /// Hides everything in one of `count` equal ranges of route hashes.
    mutating func hide(slice: Int, of count: Int) {
        advancePosition()
        let width = UInt64.max / UInt64(count)
        let lower = UInt64(slice) * (width + 1)
        tier.apply(
            .everything, within: lower...(lower + width), strength: .hard,
            at: FillStamp(epochOrdinal: 1, sequence: SequenceNumber(position)), now: now)
    }

    mutating func has(_ number: Int) -> Bool {
        let key = keys.make(number)
        let hash = tier.hash(namespace: Self.namespace, key: key)
        return tier.lookup(hash, namespace: Self.namespace, key: key, now: now) != nil
    }
}
