import Synchronization

/// How far replays that run at the same time have come, together.
final class ReplayProgress: Sendable {
    private let count = Atomic<Int>(0)
    private let line: BenchProgress

    init(total: Int) {
        line = BenchProgress("replaying", total: total)
    }

    func add(_ requests: Int) {
        line.show(count.wrappingAdd(requests, ordering: .relaxed).newValue)
    }

    func finish() { line.finish() }
}
