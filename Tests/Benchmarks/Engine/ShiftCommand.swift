import ArgumentParser
import CMeasure
import CacheMemory

/// Whether the budget holds when sizes change by a factor of 1 000 again and again.
struct ShiftCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shift", abstract: "Overshoot of the budget while sizes shift.")

    @Option var mebibytes = 256
    @Option var phases = 6

    func run() {
        let budget = mebibytes << 20
        var subject = Subject(budgetBytes: budget, longestValue: 100_000)
        let before = Int(measure_resident_bytes())
        var (peak, number) = (0, 0)
        for phase in 0..<phases {
            let bytes = phase % 2 == 0 ? 100 : 100_000
            var shape = Subject.Shape()
            shape.valueBytes = bytes
            let count = 3 * budget / (bytes + 124)
            for index in 0..<count {
                subject.store(number, shape)
                number += 1
                guard index % max(1, count / 500) == 0 else { continue }
                peak = max(peak, Int(measure_resident_bytes()) - before)
            }
            let statistics = subject.tier.statistics
            Report.print(
                "phase \(phase + 1), values of \(bytes): accounted, of it holes",
                Report.percent(Double(statistics.residentBytes) / Double(budget)) + ", "
                    + Report.percent(Double(statistics.holeBytes) / Double(budget)))
        }
        Report.print(
            "peak memory of the process over the budget",
            Report.number(Double(peak) / Double(budget), digits: 3) + " ×", asked: "≤ 1.08 ×")
    }
}
