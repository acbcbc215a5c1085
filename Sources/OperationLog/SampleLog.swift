package import CacheAccess
package import Logging
import Synchronization

/// Has a line for one of so many operations, whatever it took: which keys are asked for, and what
/// they are answered from.
///
/// Called on any thread. Whoever asks whether an operation is one of them pays an addition; a shard
/// of a node decides by itself, and notes what it has chosen.
package final class SampleLog: Sendable {
    /// Of how many operations one has a line.
    package let every: Int
    private let count = Atomic<UInt64>(0)
    private let lines: SlowLog

    /// - Parameter every: of how many operations one has a line.
    package init(every: Int, names: AuditNames, logger: Logger) {
        precondition(every > 0, "one of so many is one of some")
        self.every = every
        lines = SlowLog(
            threshold: .zero, names: names, logger: logger, message: "a sampled operation",
            linesPerSecondMax: OperationLogLimits.sampledLinesMax)
    }

    /// Whether the next operation has a line.
    package func takesNext() -> Bool {
        count.wrappingAdd(1, ordering: .relaxed).oldValue % UInt64(every) == 0
    }

    package func note(_ operation: SlowOperation) { lines.note(operation) }

    /// So many were chosen and not kept: the next line counts them with those that had none.
    package func leaveOut(_ count: Int) { lines.leaveOut(count) }
}
