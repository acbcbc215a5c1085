import ArgumentParser
import CMeasure
import MartletClient

/// What holds on every machine, however busy: allocations for each get.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Fail if a get allocates more than its value.")

    @OptionGroup var subject: Subject

    func run() async throws {
        guard Self.canCount else {
            print("allocations cannot be counted here: nothing was checked")
            return
        }
        var hasFailed = false
        try await subject.withClient { client, keys in
            // Swift's own queue allocates for each job that is put into it.
            for (place, most) in [(Workers.Place.executor, 1.05), (.ordinary, 2.2)] {
                let workers = Workers(client: client, keys: keys, place: place, taskCount: 512)
                let each = try await workers.run(seconds: 1).allocationsEach
                if each > most { hasFailed = true }
                Report.print(
                    (each > most ? "FAILED" : "ok") + " allocations of a get, \(place.rawValue)",
                    [each], asked: "≤ \(most)"
                ) { Report.number($0, digits: 3) }
            }
        }
        if hasFailed { throw ExitCode.failure }
    }

    private static var canCount: Bool {
        let before = measure_all_allocations()
        let block = UnsafeMutableRawPointer.allocate(byteCount: 100, alignment: 8)
        defer { block.deallocate() }
        return measure_all_allocations() > before
    }
}
