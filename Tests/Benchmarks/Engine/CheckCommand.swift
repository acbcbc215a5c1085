import ArgumentParser
import CMeasure
import CacheModel

/// What holds on every machine, however busy: allocations per operation. Part of `deploy/test`.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Fail if an operation allocates more than it may.")

    private static let entries = 100_000

    func run() throws {
        guard Self.canCount else {
            print("allocations cannot be counted here: nothing was checked")
            return
        }
        var tagged = Subject.Shape()
        tagged.tagCount = 4
        let subject = SubjectBox(Subject(budgetBytes: 1 << 30))
        subject.value.fill(Self.entries, tagged)
        let order = Subject.order(1 << 16, below: Self.entries)
        let absent = order.map { $0 + Int32(Self.entries) }
        let full = SubjectBox(Subject(budgetBytes: 4 << 20))
        full.value.fill(Self.entries, .init())
        var shard = try BenchmarkShard(entries: Self.entries)
        _ = shard.nanosecondsPerGet(count: 1 << 12)
        var through = try BenchmarkShard(entries: Self.entries, origin: .loaded)
        _ = through.nanosecondsPerGet(count: 1 << 12)

        var sampled = try BenchmarkShard(entries: Self.entries, sampleEvery: 1_000)
        _ = sampled.nanosecondsPerGet(count: 1 << 12)

        var checks = Checks()
        checks.check("get hit", most: 0, per: order.count) { _ = subject.value.get(order) }
        checks.check("get hit in batches", most: 0, per: order.count) {
            _ = subject.value.getInBatches(order)
        }
        checks.check("get miss", most: 0, per: order.count) { _ = subject.value.get(absent) }
        checks.check("get with the tags checked anew", most: 0.001, per: order.count) {
            subject.value.invalidateTag(77_777)
            _ = subject.value.getInBatches(order)
        }
        checks.check("set, replacing", most: 0, per: 10_000) {
            subject.value.fill(10_000, tagged)
        }
        checks.check("set, evicting", most: 0.01, per: 10_000) {
            for number in 0..<10_000 { full.value.store(number + 1_000_000, .init()) }
        }
        checks.check("shard, request to reply", most: 0.01, per: 1 << 16) {
            _ = shard.nanosecondsPerGet(count: 1 << 16)
        }
        checks.check("shard, request to reply, reading through", most: 0.01, per: 1 << 16) {
            _ = through.nanosecondsPerGet(count: 1 << 16)
        }
        checks.check("shard, request to reply, one of 1000 sampled", most: 0.01, per: 1 << 16) {
            _ = sampled.nanosecondsPerGet(count: 1 << 16)
        }
        if checks.hasFailed { throw ExitCode.failure }
    }

    private static var canCount: Bool {
        let before = measure_allocations()
        let block = UnsafeMutableRawPointer.allocate(byteCount: 100, alignment: 8)
        defer { block.deallocate() }
        return measure_allocations() > before
    }
}

/// Counts allocations against what is allowed.
struct Checks {
    private(set) var hasFailed = false

    mutating func check(_ what: String, most: Double, per count: Int, _ body: () -> Void) {
        let before = measure_allocations()
        body()
        let each = Double(measure_allocations() - before) / Double(count)
        if each > most { hasFailed = true }
        Report.print(
            (each > most ? "FAILED " : "ok ") + what, Report.number(each, digits: 4),
            asked: "≤ \(most) allocations")
    }
}
