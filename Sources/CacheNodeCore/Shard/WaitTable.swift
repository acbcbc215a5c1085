package import CacheAccess
package import CacheModel
package import CacheWire
import HeapModule

/// Requests that wait: until the shard has applied a position, until the publisher has appended
/// what they need, until the disk has been read, or until the origin has answered. Bounded in
/// number and bytes. Those that need not wait any longer leave in their order of arrival.
///
///     insert ─▶ requests ── condition holds, or deadline passed ─▶ ready ─▶ takeReady
///
/// - Complexity: O(log n) for each request and event.
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
        /// That so many loads of the origin have ended.
        case loads(leftCount: Int)
        /// That so many writes have come to something; `highest` is the last position of those that
        /// everybody was told of.
        case writes(leftCount: Int, highest: LogPosition)
        /// That the node's queue has said how it stands.
        case queue(QueueReport?)
        /// That the origin has answered what it is compared with.
        case comparison(OriginComparison?)
    }

    package struct Waiting: Sendable {
        package var id: UInt64
        package var peer: PeerID
        /// Whose room it takes.
        package var principal: PrincipalNumber
        package var frame: [UInt8]
        package var deadline: Instant
        package var condition: Condition
        /// Of the publications it waits for.
        var tickets: Range<UInt64>
        /// The position its stores are ordered by, once the publisher has said it.
        package var orderedAt: LogPosition?
        /// Operations that were refused before the others were published.
        var refused: Set<Int> = []
        /// Whether the publisher has said where its head is, for a request that asks for that.
        package var hasPassedHead = false
        /// When its asker stops waiting, counted from when it came in; `nil`: as `deadline` says.
        var askedUntil: Instant?
        /// Whether what is on disk of its keys has been read, as far as it came in time.
        package var hasReadDisk = false
        /// What the origin answered, by operation, for a request that waits for loads.
        var loads: RequestLoads?
        /// What became of its writes, by operation, for a request that waits for some.
        var writes: [Int: WriteResult]?
        var times: WaitedTimes

        /// Whether the publisher or an origin was told to do what it asks for: that may be done,
        /// whatever becomes of the request.
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

    /// A request with what it is sorted by.
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
    /// Those that wait for the publisher's head.
    private var heads: [UInt64] = []
    private var bytes = 0
    /// What is held of values that were loaded for requests whose other loads have not ended.
    private(set) var loadedBytes = 0
    /// What of it is of one key, for keys that somebody has looked at.
    private var shares: [PrincipalNumber: Share] = [:]
    private var nextID: UInt64 = 1
    /// Which request a publication belongs to.
    private var tickets: [UInt64: UInt64] = [:]
    /// Of the request that is being looked at again: if it is kept again, it takes them along.
    private var resumed: WaitedTimes?

    package init() {}

    package var count: Int { requests.count }

    /// The earliest deadline, if anything waits.
    package var nextDeadline: Instant? { deadlines.min?.key }

    package var hasRoom: Bool {
        requests.count < ShardLimits.waitingMax && bytes < ShardLimits.waitingBytesMax
    }

    /// Whether there is room for one more request of a key: the other half is always there for
    /// others.
    ///
    /// - Parameter countMax: what was granted to it; `nil`: half of what there is.
    package func hasRoom(for principal: PrincipalNumber, countMax: Int?) -> Bool {
        guard hasRoom, let share = shares[principal] else { return hasRoom }
        return share.count < countMax ?? ShardLimits.waitingMax / 2
            && share.bytes < ShardLimits.waitingBytesMax / 2
    }

    /// Keeps a request.
    ///
    /// - Precondition: ``hasRoom``.
    /// - Returns: the number by which it is known here.
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

    /// Files a request under what it waits for now.
    private mutating func note(_ condition: Condition, of id: UInt64) {
        switch condition {
        case .position(let position): positions.insert(Entry(key: position, id: id))
        case .head: heads.append(id)
        case .publications(0, let highest, let failed):
            if failed { ready.insert(id) } else { positions.insert(Entry(key: highest, id: id)) }
        case .writes(0, let highest): positions.insert(Entry(key: highest, id: id))
        case .reads(0), .loads(0), .queue(.some), .comparison(.some):
            ready.insert(id)
        case .publications, .reads, .loads, .writes, .queue, .comparison: break
        }
    }

    /// Notes what a request that is kept has behind it already.
    package mutating func noteProgress(
        of id: UInt64, orderedAt: LogPosition?, hasPassedHead: Bool, hasReadDisk: Bool = false
    ) {
        requests[id]?.orderedAt = orderedAt
        requests[id]?.hasPassedHead = hasPassedHead
        requests[id]?.hasReadDisk = hasReadDisk
    }

    /// Notes which operations of a request that is kept were refused already.
    mutating func noteRefused(_ operations: Set<Int>, of id: UInt64) {
        requests[id]?.refused = operations
    }

    /// Notes when the asker of a request that is kept stops waiting.
    mutating func noteAsker(of id: UInt64, waitsUntil deadline: Instant) {
        requests[id]?.askedUntil = deadline
    }

    /// One read that this request waited for was answered. It may be gone, for it does not wait
    /// for ever.
    package mutating func readDisk(_ id: UInt64) {
        guard case .reads(let left) = requests[id]?.condition else { return }
        become(.reads(leftCount: left - 1), id)
    }

    /// No read is answered any more.
    package mutating func loseDisk() {
        for (id, request) in requests {
            if case .reads = request.condition { become(.reads(leftCount: 0), id) }
        }
    }

    /// Notes what loads a request waits for, and what it knows of them.
    mutating func setLoads(_ loads: RequestLoads, of id: UInt64) {
        requests[id]?.loads = loads
        hold(loads.heldBytes, of: requests[id]?.principal ?? .unknown)
    }

    private mutating func hold(_ bytes: Int, of principal: PrincipalNumber) {
        loadedBytes += bytes
        if bytes > 0 { shares[principal]?.loadedBytes += bytes }
    }

    /// How long a value may be that is to be held for a key: half of the room is always there for
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
        // What the last load brought is answered at once, and not held.
        let room = left > 1 ? roomForLoaded(of: principal) : .max
        let bytes = requests[id]?.loads?.note(result, of: operation, roomBytes: room)
        hold(bytes ?? 0, of: principal)
        become(.loads(leftCount: left - 1), id)
    }

    /// The last invalidation of a tag that was obeyed when a request wished for its loads;
    /// ``LogPosition/none`` if it is gone.
    func taggedAt(_ id: UInt64) -> LogPosition { requests[id]?.loads?.taggedAt ?? .none }

    mutating func setWrites(_ writes: [Int: WriteResult], of id: UInt64) {
        requests[id]?.writes = writes
    }

    /// One write of this request has come to something. The request may be gone.
    mutating func writeEnded(
        _ id: UInt64, operation: Int, with result: WriteResult, at position: LogPosition
    ) {
        guard case .writes(let left, let highest) = requests[id]?.condition else { return }
        requests[id]?.writes?[operation] = result
        become(.writes(leftCount: left - 1, highest: max(highest, position)), id)
    }

    /// The node's queue has said how it stands. The request may be gone.
    mutating func queueReported(_ id: UInt64, _ report: QueueReport) {
        guard case .queue(nil) = requests[id]?.condition else { return }
        become(.queue(report), id)
    }

    /// A comparison has come to something. The request may be gone.
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

    /// The publisher has said where its head is: who asked under `number` or earlier waits for it.
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

    /// A request that was kept is looked at again.
    mutating func resume(_ request: Waiting, now: Instant) {
        var times = request.times
        times.waited(for: request.condition, until: now)
        resumed = times
    }

    /// The times of the request that is being looked at again; `nil` of one that never waited.
    var resumedTimes: WaitedTimes? { resumed }

    /// The times of the request that is being looked at again, unless it is kept once more.
    mutating func takeResumed() -> WaitedTimes? {
        defer { resumed = nil }
        return resumed
    }

    /// Takes the first request that need not wait any longer: its condition holds, or its
    /// deadline has passed.
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
        // The first is always one that waits, so that nobody is woken for one that has left.
        while let first = deadlines.min, requests[first.id] == nil { deadlines.removeMin() }
        for ticket in request.tickets { tickets[ticket] = nil }
        if case .publications(0, let highest, false) = request.condition, highest <= applied {
            request.orderedAt = highest
        }
        if case .reads = request.condition { request.hasReadDisk = true }
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
    /// left, they are thrown away: amortised O(1).
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

    /// So many are not worth looking through.
    private static let goneMax = 64
}
