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

    /// Keys that one turn of a shard looks up: a full message in each of its 64 frames is rare, a
    /// single one is ordinary.
    private static let turnKeys = 1_024
    /// Turns between two ticks.
    private static let turnsPerTick = 4

    func run() {
        let box = SubjectBox(Subject(budgetBytes: 2 << 30))
        let shape = Subject.Shape()
        box.value.nameNamespaces()
        box.value.fill(entries, shape)
        var draw = Draw(seed: 11)
        var (before, during, applying) = (Sample(), Sample(), Sample())
        for _ in 0..<2_000 { before.add(turn(box, shape, &draw).time) }
        var missed: [Int] = []
        for slice in 0..<slices {
            applying.add(measured { box.value.hide(slice: slice, of: slices) })
            var count = 0
            // As many reads between two slices as meet every key with near certainty.
            for number in 0..<max(1, entries * 6 / slices / Self.turnKeys) {
                let (time, misses) = turn(box, shape, &draw)
                during.add(time)
                count += misses
                if number % Self.turnsPerTick == 0 { during.add(tick(box)) }
            }
            missed.append(count)
        }
        report(missed, before: before, during: during, applying: applying)
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
            by: .milliseconds(Int64(seconds * 1_000 / slices / 16)))
        return measured { box.value.tick() }
    }

    private func report(
        _ missed: [Int], before: Sample, during: Sample, applying: Sample
    ) {
        Report.print("hide one of \(slices) slices, median", Report.microseconds(applying.median))
        Report.print("the slowest", Report.microseconds(applying.greatest))
        Report.print(
            "turn of \(Self.turnKeys) gets before, median and longest",
            "\(Report.microseconds(before.median)) · \(Report.microseconds(before.greatest))")
        Report.print(
            "turn of \(Self.turnKeys) gets and refills, or tick, during",
            "\(Report.microseconds(during.median)) · \(Report.microseconds(during.greatest))",
            asked: "≤ 2 ms")
        // A thirtieth of the pacing is a second of one that takes thirty. The first is a warm-up.
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
