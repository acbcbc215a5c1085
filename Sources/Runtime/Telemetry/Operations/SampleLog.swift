package import CacheAccess
package import Logging
import Synchronization

/// Logs one of every N operations, whatever time it took. So the log shows which keys are
/// requested, and which tier answers.
///
/// Called on any thread. ``takesNext()`` costs one atomic addition. A shard of a node makes that
/// choice by itself, and passes the operations that it has chosen.
package final class SampleLog: Sendable {
    /// One of this many operations is logged.
    package let every: Int
    private let count = Atomic<UInt64>(0)
    private let lines: SlowLog

    /// - Parameter every: one of this many operations is logged.
    package init(every: Int, names: AuditNames, logger: Logger) {
        precondition(every > 0, "one of so many is one of some")
        self.every = every
        lines = SlowLog(
            threshold: .zero, names: names, logger: logger, message: "a sampled operation",
            linesPerSecondMax: OperationLogLimits.sampledLinesMax)
    }

    /// Whether to log the next operation.
    package func takesNext() -> Bool {
        count.wrappingAdd(1, ordering: .relaxed).oldValue % UInt64(every) == 0
    }

    package func note(_ operation: SlowOperation) { lines.note(operation) }

    /// Counts operations that were chosen but not kept: the next line adds them to those without
    /// one.
    package func leaveOut(_ count: Int) { lines.leaveOut(count) }
}
