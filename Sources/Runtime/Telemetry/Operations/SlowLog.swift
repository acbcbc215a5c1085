package import CacheAccess
import CacheModel
package import Logging
import Threading

/// Logs each operation that exceeds a threshold. The lines per second are limited, and a later line
/// counts the operations without one.
///
///     shard, gateway ─▶ took < threshold? nothing : SlowOperation ─▶ SlowLog ─▶ swift-log
///
/// Called on any thread. A caller that measures its own time compares it with ``threshold`` first,
/// so a fast operation costs one comparison. Key names are written by the given rule, which is the
/// audit log's; values are never written.
package final class SlowLog: Sendable {
    private struct Budget: Sendable {
        var second: UInt64 = 0
        var lineCount = 0
        var leftOut: UInt64 = 0
    }

    /// Operations that take at least this long are logged.
    package let threshold: Duration
    private let names: AuditNames
    private let logger: Logger
    private let budget = Guarded(Budget())

    private let message: Logger.Message
    private let lineCountMax: Int

    package init(
        threshold: Duration, names: AuditNames, logger: Logger,
        message: String = "a slow operation",
        linesPerSecondMax: Int = OperationLogLimits.slowLinesMax
    ) {
        self.message = "\(message)"
        lineCountMax = linesPerSecondMax
        self.threshold = threshold
        self.names = names
        self.logger = logger
    }

    package func note(_ operation: SlowOperation) {
        guard operation.took >= threshold, let leftOut = admitted(at: MonotonicClock.now)
        else { return }
        var facts: Logger.Metadata = [
            "operation": .string(operation.operation), "ms": Self.milliseconds(operation.took),
        ]
        if let namespace = operation.namespace { facts["namespace"] = .string(namespace.name) }
        if operation.keyCount > 1 { facts["keys"] = .stringConvertible(operation.keyCount) }
        if let key = operation.key, let (name, text) = names.member("key", of: key) {
            facts[name] = .string(text)
        }
        for part in operation.parts where part.took > .zero {
            facts["\(part.name)_ms"] = Self.milliseconds(part.took)
        }
        for fact in operation.facts { facts[fact.name] = .string(fact.value) }
        if let trace = operation.trace { facts["request_id"] = .string(trace.id) }
        if leftOut > 0 { facts["left_out"] = .stringConvertible(leftOut) }
        // The lines have had this source since before the module was part of another.
        logger.notice(message, metadata: facts, source: "OperationLog")
    }

    /// Counts operations that were dropped before they came here.
    package func leaveOut(_ count: Int) {
        guard count > 0 else { return }
        budget.withLock { $0.leftOut += UInt64(count) }
    }

    /// - Returns: how many operations had no line since the last one; `nil` if this one has none.
    private func admitted(at now: Instant) -> UInt64? {
        budget.withLock { budget in
            let second = now.nanoseconds / 1_000_000_000
            if second != budget.second {
                budget.second = second
                budget.lineCount = 0
            }
            guard budget.lineCount < lineCountMax else {
                budget.leftOut += 1
                return nil
            }
            budget.lineCount += 1
            defer { budget.leftOut = 0 }
            return budget.leftOut
        }
    }

    /// With at most three decimals.
    private static func milliseconds(_ duration: Duration) -> Logger.MetadataValue {
        .stringConvertible(Double(duration.wholeNanoseconds / 1_000) / 1_000)
    }
}
