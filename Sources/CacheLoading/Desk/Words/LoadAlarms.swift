package import CacheModel
import HeapModule

/// The next moment at which each load is to be looked at. Exactly one for each load.
///
/// A heap with lazy removal: what was replaced or cleared stays in it until it comes to the top or
/// until such leftovers outnumber the rest.
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

    /// Fewer leftovers than this are not worth sweeping up.
    private static let leftoversMin = 64

    private var heap = Heap<Alarm>()
    /// Which alarm of each load counts.
    private var current: [LoadTicket: UInt64] = [:]
    private var lastNumber: UInt64 = 0

    package init() {}

    package var count: Int { current.count }
    /// At most twice `count`, and a few more.
    var heldCount: Int { heap.count }
    /// The soonest.
    package var next: Instant? { heap.min?.dueAt }

    /// In place of the one that the load had.
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

    /// Takes the soonest that is due.
    ///
    /// - Returns: `nil` if none is.
    package mutating func takeDue(now: Instant) -> LoadTicket? {
        guard let first = heap.min, first.dueAt <= now else { return nil }
        current[first.ticket] = nil
        sweep()
        return first.ticket
    }

    /// The top of the heap always counts, so that `next` is exact.
    private mutating func sweep() {
        while let first = heap.min, current[first.ticket] != first.number {
            heap.removeMin()
        }
        guard heap.count > 2 * current.count + Self.leftoversMin else { return }
        let current = current
        heap = Heap(heap.unordered.filter { current[$0.ticket] == $0.number })
    }
}
