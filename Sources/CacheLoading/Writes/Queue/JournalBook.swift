/// What is known of the journal: whether it takes anything, how long it is, what it was told.
struct JournalBook: Sendable {
    let isThere: Bool
    /// It has not taken something: the next order replaces all of it.
    var isBroken = false
    var fileBytes = JournalFormat.headerBytes
    private(set) var lastOrder: UInt64 = 0
    /// The writes that wait for an order, by its number.
    var awaiting: [UInt64: [WriteNumber]] = [:]

    init(isThere: Bool) { self.isThere = isThere }

    mutating func nextOrder() -> UInt64 {
        lastOrder += 1
        return lastOrder
    }

    /// Whether so many records would better begin a new file.
    func isWorthAnew(adding bytes: Int, liveBytes: Int) -> Bool {
        isBroken || fileBytes + bytes > 2 * (liveBytes + bytes) + WriteLimits.journalSlackBytes
    }
}
