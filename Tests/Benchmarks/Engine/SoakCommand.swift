import ArgumentParser
import CMeasure
import CacheMemory
import CacheModel

/// Very many mixed operations, with the memory of the process watched.
struct SoakCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak", abstract: "Mixed operations; the memory must stay flat.")

    @Option(help: "Millions of operations.") var millions = 100
    @Option var mebibytes = 256

    func run() throws {
        var subject = Subject(budgetBytes: mebibytes << 20, longestValue: 100_000)
        var draw = Draw(seed: 3)
        var (first, greatest) = (0, 0)
        for million in 1...millions {
            for _ in 0..<1_000_000 { step(&subject, &draw) }
            let resident = Int(measure_resident_bytes())
            // A tenth of the way fills the tier and every table.
            if million <= max(1, millions / 10) { first = max(first, resident) }
            greatest = max(greatest, resident)
        }
        let statistics = subject.tier.statistics
        Report.print("operations", "\(millions) M")
        Report.print("entries at the end", "\(statistics.entryCount)")
        Report.print(
            "evicted",
            Report.number(Double(statistics.removals[.evicted] ?? 0) / 1e6) + " M")
        Report.print("memory of the process after a tenth", Report.mebibytes(first))
        Report.print("greatest after that", Report.mebibytes(greatest))
        Report.print(
            "growth", Report.percent(Double(greatest) / Double(first) - 1), asked: "≤ 2 %")
        if Double(greatest) > Double(first) * 1.02 { throw ExitCode.failure }
    }

    private func step(_ subject: inout Subject, _ draw: inout Draw) {
        let number = draw.below(3_000_000)
        switch draw.below(1_000) {
        case 0..<600:
            let key = subject.keys.make(number)
            let hash = subject.tier.hash(namespace: Subject.namespace, key: key)
            let namespace = Subject.namespace
            _ = subject.tier.lookup(hash, namespace: namespace, key: key, now: subject.now)
        case 600..<997:
            var shape = Subject.Shape()
            shape.valueBytes = [16, 100, 100, 300, 1_000, 5_000][draw.below(6)]
            if draw.below(1_000) == 0 { shape.valueBytes = 100_000 }
            shape.tagCount = draw.below(3)
            shape.entriesPerTag = 97
            shape.version = draw.below(4) == 0
            if draw.below(2) == 0 { shape.timeToLive = .milliseconds(10 + draw.below(60_000)) }
            subject.store(number, shape)
        case 997: subject.invalidateTag(number / 97, index: draw.below(2))
        default:
            subject.now = subject.now.advanced(by: .milliseconds(draw.below(20)))
            subject.tick()
        }
    }
}
