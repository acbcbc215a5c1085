/// A write's sequence number in a node's queue, from 1. Continues over restarts while the queue is
/// not empty.
package struct WriteNumber: Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
