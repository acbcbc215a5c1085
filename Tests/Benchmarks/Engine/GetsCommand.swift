import ArgumentParser
import CMeasure

/// Gets of what is there and of what is not, one by one and in batches.
struct GetsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gets", abstract: "Gets of 100 bytes under uniform keys of 24 bytes.")

    @Option var entries = 1_000_000
    @Option var rounds = 9

    func run() {
        var subject = Subject(budgetBytes: 2 << 30)
        subject.fill(entries, .init())
        let order = Subject.order(1 << 21, below: entries)
        let absent = order.map { $0 + Int32(entries) }
        _ = subject.get(order)
        var (single, batch, miss) = (Sample(), Sample(), Sample())
        let allocations = measure_allocations()
        for _ in 0..<rounds {
            let perSecond = { (time: Double) in Double(order.count) / time * 1e9 }
            var found = 0
            single.add(perSecond(measured { found = subject.get(order) }))
            precondition(found == order.count, "everything is resident")
            batch.add(perSecond(measured { found = subject.getInBatches(order) }))
            precondition(found == order.count, "everything is resident")
            miss.add(perSecond(measured { found = subject.get(absent) }))
            precondition(found == 0, "these are not")
        }
        let perGet = Double(measure_allocations() - allocations) / Double(3 * rounds * order.count)
        Report.print("get hit, one by one", Report.rate(single.median), asked: "≥ 5 M/s")
        Report.print("get hit, batches of 64", Report.rate(batch.median), asked: "≥ 10 M/s")
        Report.print("get miss, one by one", Report.rate(miss.median))
        Report.print("allocations per get", Report.number(perGet, digits: 3), asked: "0")
    }
}
