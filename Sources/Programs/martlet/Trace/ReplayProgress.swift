import CommandSurface
import Synchronization

/// How far replays that run at the same time have come, together.
final class ReplayProgress: Sendable {
    private let count = Atomic<Int>(0)
    private let line: ProgressBar

    init(total: Int) {
        line = ProgressBar("replaying", total: total)
    }

    func add(_ requests: Int) {
        line.show(count.wrappingAdd(requests, ordering: .relaxed).newValue)
    }

    func finish() { line.finish() }
}
