package import CacheModel
import DequeModule

/// Which operations were done, and where: a repetition of one is answered with its first position.
///
/// A repetition says the same again: what has the name of an operation and covers something else is
/// another one. Whoever has learned somebody's name for an operation could else use it first, for
/// something of his own, and the operation itself would not be done.
///
/// Bounded: the oldest are forgotten first, and a repetition of a forgotten one is done again,
/// which hides more and never less.
package struct OperationMemory {
    private var positions: [OperationImprint: LogPosition] = [:]
    private var order: Deque<OperationImprint> = []
    private let operationsMax: Int

    package init(operationsMax: Int = InvalidationLimits.operationsRememberedMax) {
        precondition(operationsMax > 0, "a memory without room remembers nothing")
        self.operationsMax = operationsMax
    }

    package var count: Int { order.count }

    /// Where the operation was done first; `nil` if it is not known, and always for one without a
    /// name.
    package func position(of operation: OperationImprint) -> LogPosition? {
        positions[operation]
    }

    /// Notes that the operation was done at `position`. Does nothing for an operation without a
    /// name and for one that is known.
    package mutating func remember(_ operation: OperationImprint, at position: LogPosition) {
        guard operation.name != .none, positions[operation] == nil else { return }
        positions[operation] = position
        order.append(operation)
        while order.count > operationsMax, let oldest = order.popFirst() {
            positions[oldest] = nil
        }
    }
}
