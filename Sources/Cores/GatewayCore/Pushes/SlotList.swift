/// Places of subscribers, in an order that means nothing.
extension [Int] {
    /// Removes one occurrence; the last takes its place.
    ///
    /// - Complexity: O(count).
    mutating func removeOne(_ slot: Int) {
        guard let place = firstIndex(of: slot) else {
            preconditionFailure("a subscriber is removed once from where it was inserted")
        }
        swapAt(place, count - 1)
        removeLast()
    }
}
