package import CacheModel

/// Requests that wait: until the shard has applied a position, until the publisher has appended
/// what they need, or until the disk has been read. Bounded in number and bytes; kept in order of
/// arrival.
package struct WaitTable {
    /// What a request waits for.
    package enum Condition: Sendable {
        /// That this position is applied here.
        case position(LogPosition)
        /// That the question of this number is answered, and then that the head which it tells is
        /// applied here, and `atLeast` too.
        case head(number: UInt64, atLeast: LogPosition)
        /// That this many publications are answered; `highest` is the last position so far.
        case publications(leftCount: Int, highest: LogPosition, failed: Bool)
        /// That so many reads of the disk are answered.
        case reads(leftCount: Int)
    }

    package struct Waiting: Sendable {
        package var id: UInt64
        package var peer: PeerID
        package var frame: [UInt8]
        package var deadline: Instant
        package var condition: Condition
        /// The position its stores are ordered by, once the publisher has said it.
        package var orderedAt: LogPosition?
        /// Whether the publisher has said where its head is, for a request that asks for that.
        package var hasPassedHead = false
        /// Whether what is on disk of its keys has been read, as far as it came in time.
        package var hasReadDisk = false
    }

    private var waiting: [Waiting] = []
    private var bytes = 0
    private var nextID: UInt64 = 1
    /// Which request a publication belongs to.
    private var tickets: [UInt64: UInt64] = [:]

    package init() {}

    package var count: Int { waiting.count }

    /// The earliest deadline, if anything waits.
    package var nextDeadline: Instant? { waiting.map(\.deadline).min() }

    package var hasRoom: Bool {
        waiting.count < ShardLimits.waitingMax && bytes < ShardLimits.waitingBytesMax
    }

    /// Keeps a request.
    ///
    /// - Precondition: ``hasRoom``.
    /// - Returns: the number by which it is known here.
    @discardableResult
    package mutating func insert(
        peer: PeerID, frame: UnsafeRawBufferPointer, deadline: Instant, condition: Condition,
        tickets newTickets: Range<UInt64> = 0..<0
    ) -> UInt64 {
        precondition(hasRoom, "the caller says BUSY when there is no room")
        let id = nextID
        nextID += 1
        for ticket in newTickets { tickets[ticket] = id }
        bytes += frame.count
        waiting.append(
            Waiting(
                id: id, peer: peer, frame: [UInt8](frame), deadline: deadline,
                condition: condition, orderedAt: nil))
        return id
    }

    /// Notes what the request that was kept last has behind it already.
    package mutating func noteProgress(orderedAt: LogPosition?, hasPassedHead: Bool) {
        waiting[waiting.count - 1].orderedAt = orderedAt
        waiting[waiting.count - 1].hasPassedHead = hasPassedHead
    }

    /// One read that this request waited for was answered. It may be gone, for it does not wait
    /// for ever.
    package mutating func readDisk(_ id: UInt64) {
        guard let index = waiting.firstIndex(where: { $0.id == id }),
            case .reads(let left) = waiting[index].condition
        else { return }
        waiting[index].condition = .reads(leftCount: left - 1)
    }

    /// No read is answered any more.
    package mutating func loseDisk() {
        for index in waiting.indices {
            guard case .reads = waiting[index].condition else { continue }
            waiting[index].condition = .reads(leftCount: 0)
        }
    }

    /// One publication was answered; `nil` is a failure.
    package mutating func published(ticket: UInt64, at position: LogPosition?) {
        guard let id = tickets.removeValue(forKey: ticket),
            let index = waiting.firstIndex(where: { $0.id == id }),
            case .publications(let left, let highest, let failed) = waiting[index].condition
        else { return }
        waiting[index].condition = .publications(
            leftCount: left - 1, highest: max(highest, position ?? .none),
            failed: failed || position == nil)
    }

    /// The publisher has said where its head is: who asked under `number` or earlier waits for it.
    package mutating func headKnown(number: UInt64, head: LogPosition) {
        for index in waiting.indices {
            guard case .head(let asked, let atLeast) = waiting[index].condition, asked <= number
            else { continue }
            waiting[index].condition = .position(max(head, atLeast))
            waiting[index].hasPassedHead = true
        }
    }

    /// Takes the first request that need not wait any longer: its condition holds, or its
    /// deadline has passed.
    package mutating func takeReady(applied: LogPosition, now: Instant) -> Waiting? {
        guard
            let index = waiting.firstIndex(where: {
                Self.isReady($0.condition, applied: applied) || $0.deadline <= now
            })
        else { return nil }
        var ready = waiting.remove(at: index)
        bytes -= ready.frame.count
        if case .publications(0, let highest, false) = ready.condition, highest <= applied {
            ready.orderedAt = highest
        }
        if case .reads = ready.condition { ready.hasReadDisk = true }
        if !tickets.isEmpty { tickets = tickets.filter { $0.value != ready.id } }
        return ready
    }

    private static func isReady(_ condition: Condition, applied: LogPosition) -> Bool {
        switch condition {
        case .position(let position): position <= applied
        case .head: false
        case .publications(let left, let highest, let failed):
            left == 0 && (failed || highest <= applied)
        case .reads(let left): left == 0
        }
    }
}
