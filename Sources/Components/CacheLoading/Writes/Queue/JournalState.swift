import CacheModel

/// State of the journal: whether it accepts records, its size, and the orders given to it.
///
///     accepts ──an order fails──▶ broken: the next order replaces the whole file
///       ▲                          │ two of those fail
///       │ an order that            ▼
///       └─ replaces it ◀──── resting: no orders, for a second at first
struct JournalState: Sendable {
    let isThere: Bool
    /// When it is retried; `nil`: it accepts records, as far as known.
    private(set) var retryAt: Instant?
    /// Replacing orders that have failed since one succeeded, and rests since then.
    private var failureCount = 0
    private var restCount = 0
    private var wholeOrders: Set<UInt64> = []
    /// Whether a write to it failed, and none has succeeded since.
    private(set) var isUnusable = false
    /// A record was not written: the next order replaces the whole file.
    var isBroken = false
    var fileBytes = JournalFormat.headerBytes
    /// Whether the file has the format with representations.
    var takesDescribed = false
    private(set) var lastOrder: UInt64 = 0
    /// The writes that wait for an order, by its number.
    var awaiting: [UInt64: [WriteNumber]] = [:]

    /// - Parameter isBroken: whether its initial contents could not be written.
    init(isThere: Bool, isBroken: Bool = false) {
        self.isThere = isThere
        self.isBroken = isBroken
        isUnusable = isBroken
        failureCount = isBroken ? Self.failuresMax : 0
    }

    private static let failuresMax = 2

    /// Whether no orders are given until the next retry: it has failed so often that an immediate
    /// retry is useless.
    var isResting: Bool { retryAt != nil && failureCount >= Self.failuresMax }

    /// Schedules the next retry, with a longer pause after each one.
    mutating func rest(from now: Instant) {
        let doublings = min(restCount, 16)
        restCount += 1
        retryAt = now.advanced(
            by: min(WriteLimits.journalRestBase * (1 << doublings), WriteLimits.journalRestMax))
    }

    mutating func endRest() { retryAt = nil }

    /// A replacing order is given: its outcome decides about a rest.
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

    /// Whether these records should, or must, begin a new file.
    ///
    /// - Parameter isDescribed: whether one of them has a representation.
    func isWorthAnew(adding bytes: Int, liveBytes: Int, isDescribed: Bool) -> Bool {
        isBroken || isDescribed && !takesDescribed
            || fileBytes + bytes > 2 * (liveBytes + bytes) + WriteLimits.journalSlackBytes
    }
}
