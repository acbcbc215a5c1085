/// A collection that is filled and emptied repeatedly, such as one of the loop's queues.
package protocol Emptying {
    var capacity: Int { get }
    mutating func removeAll(keepingCapacity: Bool)
}

extension Emptying {
    /// Empties it. Its memory is reused, unless a burst has made it longer than
    /// ``ClientLimits/itemsKept``: memory of a rare burst is freed.
    package mutating func empty() {
        removeAll(keepingCapacity: capacity <= ClientLimits.itemsKept)
    }
}

extension Array: Emptying {}
extension Set: Emptying {}
