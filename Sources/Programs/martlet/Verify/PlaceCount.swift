/// So many may do something at a time; the rest goes without.
actor PlaceCount {
    private var freeCount: Int

    init(_ count: Int) {
        freeCount = count
    }

    /// - Returns: whether there was a place; it has to be released.
    func claim() -> Bool {
        guard freeCount > 0 else { return false }
        freeCount -= 1
        return true
    }

    func release() { freeCount += 1 }
}
