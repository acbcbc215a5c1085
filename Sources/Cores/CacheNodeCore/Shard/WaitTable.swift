package import CacheAccess
package import CacheModel
package import CacheWire
import HeapModule

/// Waiting requests: until the shard has applied a position, until the publisher has appended their
/// records, until the disk has been read, or until the origin has answered. Bounded in number and
/// bytes. Requests that need not wait any longer leave in their order of arrival.
///
///     insert ─▶ requests ── condition true, or deadline passed ─▶ ready ─▶ takeReady
///
/// - Complexity: O(log n) for each request and event.
package struct WaitTable {
    /// The condition that a request waits for.
    package enum Condition: Sendable {
        /// This position is applied here.
        case position(LogPosition)
        /// The request of this number is answered, and then the head that it reports is applied
        /// here, and `atLeast` too.
        case head(number: UInt64, atLeast: LogPosition)
        /// This many publications are answered; `highest` is the last position so far.
        case publications(leftCount: Int, highest: LogPosition, failed: Bool)
        /// This many disk reads are answered.
        case reads(leftCount: Int)
        /// This many requests to owners before are answered.
        case copies(leftCount: Int)
        /// This many origin loads have ended.
        case loads(leftCount: Int)
        /// This many writes have ended; `highest` is the last position of the published ones.
        case writes(leftCount: Int, highest: LogPosition)
        /// The node's queue has reported its state.
        case queue(QueueReport?)
        /// The origin has answered the comparison.
        case comparison(OriginComparison?)
    }

    package struct Waiting: Sendable {
        package var id: UInt64
        package var peer: PeerID
        /// The principal whose share it uses.
        package var principal: PrincipalNumber
        package var frame: [UInt8]
        package var deadline: Instant
        package var condition: Condition
        /// Of the publications it waits for.
        var tickets: Range<UInt64>
        /// The position by which its stores are ordered, once the publisher has reported it.
        package var orderedAt: LogPosition?
        /// Operations that were refused before the others were published.
        var refused: Set<Int> = []
        /// Whether the publisher has reported its head, for a request that requires it.
        package var hasPassedHead = false
        /// When its asker stops waiting, counted from its arrival; `nil`: at `deadline`.
        var askedUntil: Instant?
        /// Whether the records of its keys were read from disk, as far as they arrived in time.
        package var hasReadDisk = false
        /// Whether the owners before were asked for its keys.
        var hasAskedOwnerBefore = false
        /// Results of the origin by operation, for a request that waits for loads.
        var loads: RequestLoads?
        /// Results of its writes by operation, for a request that waits for some.
        var writes: [Int: WriteResult]?
        var times: WaitedTimes

        /// Whether its operation was passed on to the publisher or an origin: it may be executed,
        /// whatever the result of the request.
        var isOrdered: Bool {
            if case .publications = condition { return true }
            return orderedAt != nil || writes != nil
        }
    }

    private struct Share {
        var count = 0
        var bytes = 0
        var loadedBytes = 0
    }

    /// A request with its sort key.
    private struct Entry<Key: Comparable & Sendable>: Comparable, Sendable {
        var key: Key
        var id: UInt64

        static func < (left: Self, right: Self) -> Bool {
            left.key == right.key ? left.id < right.id : left.key < right.key
        }
    }

    private var requests: [UInt64: Waiting] = [:]
    /// By number, which is the order of arrival; some may have left.
    private var ready = Heap<UInt64>()
    private var deadlines = Heap<Entry<Instant>>()
    private var positions = Heap<Entry<LogPosition>>()
    /// Requests that wait for the publisher's head.
    private var heads: [UInt64] = []
    private var bytes = 0
    /// Bytes of values loaded for requests whose other loads have not ended.
    private(set) var loadedBytes = 0
    /// The part of it used by each principal, if clients are identified.
    private var shares: [PrincipalNumber: Share] = [:]
    private var nextID: UInt64 = 1
    /// The request of each publication.
    private var tickets: [UInt64: UInt64] = [:]
    private var nextTicket: UInt64 = 1
    /// Of the request that is being handled again: if it waits again, it takes them along.
    private var resumed: WaitedTimes?

    package init() {}

    package var count: Int { requests.count }

    /// The earliest deadline, if any request waits.
    package var nextDeadline: Instant? { deadlines.min?.key }

    package var hasRoom: Bool {
        requests.count < ShardLimits.waitingMax && bytes < ShardLimits.waitingBytesMax
    }

    /// Whether there is space for one more request of a principal: the other half is always
    /// reserved for others.
    ///
    /// - Parameter countMax: the principal's own limit; `nil`: half of the table.
    package func hasRoom(for principal: PrincipalNumber, countMax: Int?) -> Bool {
        guard hasRoom, let share = shares[principal] else { return hasRoom }
        return share.count < countMax ?? ShardLimits.waitingMax / 2
            && share.bytes < ShardLimits.waitingBytesMax / 2
    }

    /// Numbers for publications that a request is going to wait for.
    mutating func takeTickets(_ count: Int) -> Range<UInt64> {
        defer { nextTicket += UInt64(count) }
        return nextTicket..<nextTicket + UInt64(count)
    }

    /// Keeps a request.
    ///
    /// - Precondition: ``hasRoom``.
    /// - Returns: its number in this table.
    @discardableResult
    package mutating func insert(
        _ frame: RequestFrame, deadline: Instant, condition: Condition,
        tickets newTickets: Range<UInt64> = 0..<0, now: Instant
    ) -> UInt64 {
        precondition(hasRoom, "the caller says BUSY when there is no room")
        let id = nextID
        nextID += 1
        for ticket in newTickets { tickets[ticket] = id }
        bytes += frame.bytes.count
        if frame.principal != .unknown {
            shares[frame.principal, default: Share()].count += 1
            shares[frame.principal, default: Share()].bytes += frame.bytes.count
        }
        var times = takeResumed() ?? WaitedTimes(arrivedAt: now)
        times.waits(from: now)
        requests[id] = Waiting(
            id: id, peer: frame.peer, principal: frame.principal, frame: [UInt8](frame.bytes),
            deadline: deadline, condition: condition, tickets: newTickets, times: times)
        deadlines.insert(Entry(key: deadline, id: id))
        note(condition, of: id)
        return id
    }

    /// Indexes a request by its current condition.
    private mutating func note(_ condition: Condition, of id: UInt64) {
        switch condition {
        case .position(let position): positions.insert(Entry(key: position, id: id))
        case .head: heads.append(id)
        case .publications(0, let highest, let failed):
            if failed { ready.insert(id) } else { positions.insert(Entry(key: highest, id: id)) }
        case .writes(0, let highest): positions.insert(Entry(key: highest, id: id))
        case .reads(0), .copies(0), .loads(0), .queue(.some), .comparison(.some):
            ready.insert(id)
        case .publications, .reads, .copies, .loads, .writes, .queue, .comparison: break
        }
    }

    /// Records the completed steps of a waiting request.
    package mutating func noteProgress(
        of id: UInt64, orderedAt: LogPosition?, hasPassedHead: Bool, hasReadDisk: Bool = false,
        hasAskedOwnerBefore: Bool = false
    ) {
        requests[id]?.orderedAt = orderedAt
        requests[id]?.hasPassedHead = hasPassedHead
        requests[id]?.hasReadDisk = hasReadDisk
        requests[id]?.hasAskedOwnerBefore = hasAskedOwnerBefore
    }

    /// Records the operations of a waiting request that were already refused.
    mutating func noteRefused(_ operations: Set<Int>, of id: UInt64) {
        requests[id]?.refused = operations
    }

    /// Records when the asker of a waiting request stops waiting.
    mutating func noteAsker(of id: UInt64, waitsUntil deadline: Instant) {
        requests[id]?.askedUntil = deadline
    }

    /// One read that this request waited for was answered. The request may be gone: its wait is
    /// limited.
    package mutating func readDisk(_ id: UInt64) {
        guard case .reads(let left) = requests[id]?.condition else { return }
        become(.reads(leftCount: left - 1), id)
    }

    /// An owner before has answered for one key of this request. The request may be gone: its wait
    /// is limited.
    mutating func copied(_ id: UInt64) {
        guard case .copies(let left) = requests[id]?.condition else { return }
        become(.copies(leftCount: left - 1), id)
    }

    /// No read will be answered any more.
    package mutating func loseDisk() {
        for (id, request) in requests {
            if case .reads = request.condition { become(.reads(leftCount: 0), id) }
        }
    }

    /// Sets the loads that a request waits for, and its state of them.
    mutating func setLoads(_ loads: RequestLoads, of id: UInt64) {
        requests[id]?.loads = loads
        hold(loads.heldBytes, of: requests[id]?.principal ?? .unknown)
    }

    private mutating func hold(_ bytes: Int, of principal: PrincipalNumber) {
        loadedBytes += bytes
        if bytes > 0 { shares[principal]?.loadedBytes += bytes }
    }

    /// Maximum bytes of a value held for a principal: half of the space is always reserved for
    /// others.
    private func roomForLoaded(of principal: PrincipalNumber) -> Int {
        let room = ShardLimits.loadedBytesMax - loadedBytes
        guard let share = shares[principal] else { return room }
        return min(room, ShardLimits.loadedBytesMax / 2 - share.loadedBytes)
    }

    /// A load that one operation of this request waited for has ended. The request may be gone.
    mutating func loadEnded(_ id: UInt64, operation: Int, with result: LoadResult) {
        guard case .loads(let left)? = requests[id]?.condition,
            let principal = requests[id]?.principal
        else { return }
        // The value of the last load is returned at once, and not held.
        let room = left > 1 ? roomForLoaded(of: principal) : .max
        let bytes = requests[id]?.loads?.note(result, of: operation, roomBytes: room)
        hold(bytes ?? 0, of: principal)
        become(.loads(leftCount: left - 1), id)
    }

    /// The last invalidation of a tag applied when a request asked for its loads;
    /// ``LogPosition/none`` if it is gone.
    func taggedAt(_ id: UInt64) -> LogPosition { requests[id]?.loads?.taggedAt ?? .none }

    mutating func setWrites(_ writes: [Int: WriteResult], of id: UInt64) {
        requests[id]?.writes = writes
    }

    /// One write of this request has ended. The request may be gone.
    mutating func writeEnded(
        _ id: UInt64, operation: Int, with result: WriteResult, at position: LogPosition
    ) {
        guard case .writes(let left, let highest) = requests[id]?.condition else { return }
        requests[id]?.writes?[operation] = result
        become(.writes(leftCount: left - 1, highest: max(highest, position)), id)
    }

    /// The node's queue has reported its state. The request may be gone.
    mutating func queueReported(_ id: UInt64, _ report: QueueReport) {
        guard case .queue(nil) = requests[id]?.condition else { return }
        become(.queue(report), id)
    }

    /// A comparison has ended. The request may be gone.
    mutating func compared(_ id: UInt64, _ comparison: OriginComparison) {
        guard case .comparison(nil) = requests[id]?.condition else { return }
        become(.comparison(comparison), id)
    }

    /// Whether a request still waits for loads.
    func awaitsLoads(_ id: UInt64) -> Bool {
        if case .loads = requests[id]?.condition { true } else { false }
    }

    /// One publication was answered; `nil` is a failure.
    package mutating func published(ticket: UInt64, at position: LogPosition?) {
        guard let id = tickets.removeValue(forKey: ticket),
            case .publications(let left, let highest, let failed) = requests[id]?.condition
        else { return }
        become(
            .publications(
                leftCount: left - 1, highest: max(highest, position ?? .none),
                failed: failed || position == nil), id)
    }

    /// The publisher has reported its head: requests with `number` or an earlier one now wait for
    /// it to be applied.
    package mutating func headKnown(number: UInt64, head: LogPosition) {
        let asking = heads
        heads.removeAll(keepingCapacity: true)
        for id in asking {
            guard case .head(let asked, let atLeast) = requests[id]?.condition else { continue }
            guard asked <= number else {
                heads.append(id)
                continue
            }
            requests[id]?.hasPassedHead = true
            become(.position(max(head, atLeast)), id)
        }
    }

    private mutating func become(_ condition: Condition, _ id: UInt64) {
        requests[id]?.condition = condition
        note(condition, of: id)
    }

    /// A waiting request is handled again.
    mutating func resume(_ request: Waiting, now: Instant) {
        var times = request.times
        times.waited(for: request.condition, until: now)
        resumed = times
    }

    /// The times of the request that is being handled again; `nil` if it never waited.
    var resumedTimes: WaitedTimes? { resumed }

    /// The times of the request that is being handled again, unless it waits once more.
    mutating func takeResumed() -> WaitedTimes? {
        defer { resumed = nil }
        return resumed
    }

    /// Removes and returns the first request that need not wait any longer: its condition is true,
    /// or its deadline has passed.
    package mutating func takeReady(applied: LogPosition, now: Instant) -> Waiting? {
        while let first = positions.min, first.key <= applied {
            positions.removeMin()
            ready.insert(first.id)
        }
        while let first = deadlines.min, first.key <= now {
            deadlines.removeMin()
            ready.insert(first.id)
        }
        while let id = ready.popMin() {
            if let request = take(id, applied: applied) { return request }
        }
        forgetTheGone()
        return nil
    }

    private mutating func take(_ id: UInt64, applied: LogPosition) -> Waiting? {
        guard var request = requests.removeValue(forKey: id) else { return nil }
        bytes -= request.frame.count
        loadedBytes -= request.loads?.heldBytes ?? 0
        giveBack(request)
        // The first is always one that waits, so that no timer fires for one that has left.
        while let first = deadlines.min, requests[first.id] == nil { deadlines.removeMin() }
        for ticket in request.tickets { tickets[ticket] = nil }
        if case .publications(0, let highest, false) = request.condition, highest <= applied {
            request.orderedAt = highest
        }
        if case .reads = request.condition { request.hasReadDisk = true }
        if case .copies = request.condition { request.hasAskedOwnerBefore = true }
        return request
    }

    private mutating func giveBack(_ request: Waiting) {
        guard var share = shares[request.principal] else { return }
        share.count -= 1
        share.bytes -= request.frame.count
        share.loadedBytes -= request.loads?.heldBytes ?? 0
        precondition(
            share.count >= 0 && share.bytes >= 0 && share.loadedBytes >= 0, "what leaves has come")
        shares[request.principal] = share.count > 0 ? share : nil
    }

    /// Most requests leave before their deadline. Once most deadlines are of requests that have
    /// left, those are removed: amortised O(1).
    private mutating func forgetTheGone() {
        if deadlines.count > 2 * requests.count + Self.goneMax {
            deadlines = Heap(deadlines.unordered.filter { requests[$0.id] != nil })
        }
        if positions.count > requests.count + Self.goneMax {
            positions = Heap(positions.unordered.filter { requests[$0.id] != nil })
        }
        if heads.count > requests.count + Self.goneMax {
            heads.removeAll { requests[$0] == nil }
        }
    }

    /// Fewer than this are not removed.
    private static let goneMax = 64
}
