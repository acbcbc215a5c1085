import CacheModel

/// What is known of the journal: whether it takes anything, how long it is, what it was told.
///
///     takes ──an order fails──▶ broken: the next order replaces all of it
///       ▲                          │ two of those fail
///       │ an order that            ▼
///       └─ replaces all ◀──── resting: nothing is ordered, for a second at first
struct JournalBook: Sendable {
    let isThere: Bool
    /// When it is tried again by itself; `nil`: it takes what it is told, as far as is known.
    private(set) var retryAt: Instant?
    /// Orders that replace all of it which have failed since one succeeded, and rests since then.
    private var failureCount = 0
    private var restCount = 0
    private var wholeOrders: Set<UInt64> = []
    /// Whether a write to it failed, and none has succeeded since.
    private(set) var isUnusable = false
    /// It has not taken something: the next order replaces all of it.
    var isBroken = false
    var fileBytes = JournalFormat.headerBytes
    /// Whether the file is of the format that takes representations.
    var takesDescribed = false
    private(set) var lastOrder: UInt64 = 0
    /// The writes that wait for an order, by its number.
    var awaiting: [UInt64: [WriteNumber]] = [:]

    /// - Parameter isBroken: whether it did not take what it was begun with.
    init(isThere: Bool, isBroken: Bool = false) {
        self.isThere = isThere
        self.isBroken = isBroken
        isUnusable = isBroken
        failureCount = isBroken ? Self.failuresMax : 0
    }

    private static let failuresMax = 2

    /// Whether nothing is ordered until it is tried again: it has failed so often that trying at
    /// once is of no use.
    var isResting: Bool { retryAt != nil && failureCount >= Self.failuresMax }

    /// Schedules the next try, with a longer pause after each one.
    mutating func rest(from now: Instant) {
        let doublings = min(restCount, 16)
        restCount += 1
        retryAt = now.advanced(
            by: min(WriteLimits.journalRestBase * (1 << doublings), WriteLimits.journalRestMax))
    }

    mutating func endRest() { retryAt = nil }

    /// An order that replaces all of it is given: what comes of that decides about a rest.
    mutating func noteWhole(_ order: UInt64) {
        wholeOrders.insert(order)
        retryAt = nil
    }

    /// An order has ended.
    mutating func ended(_ order: UInt64, succeeded: Bool) {
        let isWhole = wholeOrders.remove(order) != nil
        if !succeeded {
            (isBroken, isUnusable) = (true, true)
            failureCount += isWhole ? 1 : 0
        } else if isWhole {
            (isUnusable, failureCount, restCount, retryAt) = (false, 0, 0, nil)
        }
    }

    mutating func nextOrder() -> UInt64 {
        lastOrder += 1
        return lastOrder
    }

    /// Whether these records would better begin a new file, or have to.
    ///
    /// - Parameter isDescribed: whether one of them has a representation.
    func isWorthAnew(adding bytes: Int, liveBytes: Int, isDescribed: Bool) -> Bool {
        isBroken || isDescribed && !takesDescribed
            || fileBytes + bytes > 2 * (liveBytes + bytes) + WriteLimits.journalSlackBytes
    }
}
