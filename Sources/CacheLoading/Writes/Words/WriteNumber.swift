/// A write's place in the order in which a node's queue took them, from 1. Goes on over restarts
/// while anything is in the queue.
package struct WriteNumber: Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
