/// A collection that is filled and emptied again and again, such as one of the loop's queues.
package protocol Emptying {
    var capacity: Int { get }
    mutating func removeAll(keepingCapacity: Bool)
}

extension Emptying {
    /// Empties it. Its memory is used again, unless a burst has made it longer than
    /// ``ClientLimits/itemsKept``: what happened once is not held on to for ever.
    package mutating func empty() {
        removeAll(keepingCapacity: capacity <= ClientLimits.itemsKept)
    }
}

extension Array: Emptying {}
extension Set: Emptying {}
