package import CacheModel
import HeapModule

/// The next moment at which each load must be examined. Exactly one for each load.
///
/// A heap with lazy removal: replaced and cleared alarms stay in it until they reach the top or
/// until they outnumber the others.
package struct LoadAlarms {
    private struct Alarm: Comparable {
        let dueAt: Instant
        /// Loads that are due together are taken in the order in which they were set.
        let number: UInt64
        let ticket: LoadTicket

        static func < (left: Self, right: Self) -> Bool {
            (left.dueAt, left.number) < (right.dueAt, right.number)
        }
    }

    /// Fewer leftovers than this are not removed.
    private static let leftoversMin = 64

    private var heap = Heap<Alarm>()
    private var current: [LoadTicket: UInt64] = [:]
    private var lastNumber: UInt64 = 0

    package init() {}

    package var count: Int { current.count }
    /// At most twice `count`, and a few more.
    var heldCount: Int { heap.count }
    package var next: Instant? { heap.min?.dueAt }

    /// Replaces the load's previous alarm.
    ///
    /// - Complexity: O(log count), amortised.
    package mutating func set(_ ticket: LoadTicket, at dueAt: Instant) {
        lastNumber += 1
        current[ticket] = lastNumber
        heap.insert(Alarm(dueAt: dueAt, number: lastNumber, ticket: ticket))
        sweep()
    }

    package mutating func clear(_ ticket: LoadTicket) {
        guard current.removeValue(forKey: ticket) != nil else { return }
        sweep()
    }

    /// Removes the soonest alarm that is due.
    ///
    /// - Returns: `nil` if none is.
    package mutating func takeDue(now: Instant) -> LoadTicket? {
        guard let first = heap.min, first.dueAt <= now else { return nil }
        current[first.ticket] = nil
        sweep()
        return first.ticket
    }

    /// The top of the heap is always valid, so that `next` is exact.
    private mutating func sweep() {
        while let first = heap.min, current[first.ticket] != first.number {
            heap.removeMin()
        }
        guard heap.count > 2 * current.count + Self.leftoversMin else { return }
        let current = current
        heap = Heap(heap.unordered.filter { current[$0.ticket] == $0.number })
    }
}
