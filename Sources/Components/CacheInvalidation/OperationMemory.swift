package import CacheModel
import DequeModule

/// The operations that were done, and their positions: a repetition is answered with the first
/// position.
///
/// A repetition has the same contents: the same name with another strength or other scopes is
/// another operation. Otherwise a client that has learned the name of another's operation could use
/// it first, for something else, and the operation itself would not be done.
///
/// Bounded: the oldest operations are forgotten first. A repetition of a forgotten one is done
/// again, which hides more and never less.
package struct OperationMemory {
    private var positions: [OperationImprint: LogPosition] = [:]
    private var order: Deque<OperationImprint> = []
    private let operationsMax: Int

    package init(operationsMax: Int = InvalidationLimits.operationsRememberedMax) {
        precondition(operationsMax > 0, "a memory without room remembers nothing")
        self.operationsMax = operationsMax
    }

    package var count: Int { order.count }

    /// The first position of the operation; `nil` if it is not known, and always for one without a
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
