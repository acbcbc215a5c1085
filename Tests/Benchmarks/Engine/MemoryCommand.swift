import ArgumentParser
import CMeasure
import CacheMemory

/// What an entry takes beyond its key and value, as memory of the process.
struct MemoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memory", abstract: "Memory per entry of 24 + 100 bytes.")

    @Option var entries = 1_000_000
    @Flag(help: "With a time to live, a version and one tag.") var full = false

    func run() {
        var subject = Subject(budgetBytes: 2 << 30)
        var shape = Subject.Shape()
        if full {
            shape.timeToLive = .seconds(86_400)
            shape.version = true
            shape.tagCount = 1
            shape.entriesPerTag = 1_000
        }
        subject.store(0, shape)
        let before = Int(measure_resident_bytes())
        let charged = subject.tier.statistics.residentBytes
        subject.fill(entries, shape)
        let grown = Int(measure_resident_bytes()) - before
        let accounted = subject.tier.statistics.residentBytes - charged
        precondition(subject.tier.entryCount == entries, "all are there")
        let name = full ? "with TTL, version and tag" : "plain"
        Report.print(
            "bytes beyond key and value, \(entries) entries, \(name)",
            Report.number(Double(grown) / Double(entries) - 124) + " B",
            asked: full ? "≤ 60 B" : "≤ 56 B")
        let statistics = subject.tier.statistics
        Report.print(
            "of it index, and slots free or not yet used",
            Report.number(Double(statistics.indexBytes) / Double(entries)) + " B, "
                + Report.number(Double(statistics.holeBytes) / Double(entries)) + " B")
        Report.print(
            "accounted against memory of the process",
            Report.percent(Double(accounted) / Double(grown) - 1), asked: "± 5 %")
    }
}
