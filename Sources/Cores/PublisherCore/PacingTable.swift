import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire

/// The pacings: running ones, due slices, and recently ended ones.
///
/// Pure: its owner passes the time and the outcome of each slice. Bounded by
/// ``PublisherLimits/pacingsMax`` and ``PublisherLimits/pacingsRememberedMax``.
struct PacingTable {
    private(set) var running: [Pacing] = []
    /// The newest last.
    private(set) var ended: [Pacing] = []
    private var nextID: UInt64 = 1

    /// The outcome of an order to begin.
    enum Beginning: Equatable {
        case begun(PacingID)
        /// This order was received before.
        case known(PacingID)
        case full
        /// The key has its maximum of pacings; the first of them ends after `until` if nothing
        /// delays it.
        case fullOfOneKey(until: Duration)
    }

    /// - Parameter principal: the principal that asks. One principal has at most half of the
    ///   capacity.
    mutating func begin(
        _ request: PaceRequest, of principal: PrincipalNumber = .unknown, now: Instant
    ) -> Beginning {
        if let known = (running + ended).last(where: {
            $0.request.operation == request.operation && $0.request.scopes == request.scopes
        }) {
            return .known(known.id)
        }
        guard running.count < PublisherLimits.pacingsMax else { return .full }
        let left = running.filter { $0.principal == principal }.map { $0.left(now: now) }
        if principal != .unknown, left.count >= PublisherLimits.pacingsMax / 2 {
            return .fullOfOneKey(until: left.min() ?? .zero)
        }
        let id = PacingID(nextID)
        nextID += 1
        var pacing = Pacing(id, request, now: now)
        pacing.principal = principal
        running.append(pacing)
        return .begun(id)
    }

    func pacing(_ id: PacingID) -> Pacing? {
        running.first { $0.id == id } ?? ended.last { $0.id == id }
    }

    /// All pacings, by number.
    var all: [Pacing] { (ended + running).sorted { $0.id.rawValue < $1.id.rawValue } }

    /// All running orders up to `id` are stored.
    mutating func kept(through id: PacingID, now: Instant) {
        for index in running.indices
        where !running[index].isKept && running[index].id.rawValue <= id.rawValue {
            running[index].isKept = true
            running[index].begin(now: now)
        }
    }

    /// The newest order.
    var newest: PacingID { PacingID(nextID - 1) }

    /// An order that could not be stored has no effect.
    mutating func withdraw(_ id: PacingID) { running.removeAll { $0.id == id } }

    /// - Returns: `false` if no pacing with that number runs.
    mutating func cancel(_ id: PacingID) -> Bool {
        guard let index = running.firstIndex(where: { $0.id == id }) else { return false }
        running[index].state = .cancelled
        retire(index)
        return true
    }

    // MARK: Slices

    /// When the next slice is due; `nil` if none is.
    var nextDue: Instant? {
        running.filter { $0.isKept && !$0.isUnderWay }.map(\.nextDue).min()
    }

    /// The slices that are due now: at most one of each pacing, and none while its last one is
    /// being appended.
    mutating func takeDue(now: Instant) -> [(id: PacingID, request: InvalidateRequest)] {
        var due: [(id: PacingID, request: InvalidateRequest)] = []
        for index in running.indices
        where running[index].isKept && !running[index].isUnderWay
            && running[index].nextDue <= now
        {
            running[index].isUnderWay = true
            due.append((running[index].id, running[index].nextSlice))
        }
        return due
    }

    /// The slice is in the log. A slice of a pacing that was cancelled meanwhile stays.
    mutating func appended(_ id: PacingID, at position: LogPosition, now: Instant) {
        guard let index = running.firstIndex(where: { $0.id == id }) else {
            guard let index = ended.lastIndex(where: { $0.id == id }) else { return }
            ended[index].appendedAfterEnd(at: position)
            return
        }
        running[index].appended(at: position, now: now)
        if running[index].state == .over { retire(index) }
    }

    /// The log refused the slice: it is retried soon.
    mutating func refused(_ id: PacingID, now: Instant) {
        guard let index = running.firstIndex(where: { $0.id == id }) else { return }
        running[index].isUnderWay = false
        running[index].wait(until: now.advanced(by: PublisherLimits.paceRetry))
    }

    private mutating func retire(_ index: Int) {
        ended.append(running.remove(at: index))
        if ended.count > PublisherLimits.pacingsRememberedMax { ended.removeFirst() }
    }
}

extension PacingTable {
    /// Restores the table of an earlier publisher; its pacings continue.
    init(resuming all: [Pacing], nextID: UInt64) {
        running = all.filter { $0.state == .running }
        ended = all.filter { $0.state != .running }
        self.nextID = nextID
    }

    /// The number of the next pacing.
    var upcomingID: UInt64 { nextID }
}

extension Pacing {
    /// Its last slice was being appended when it was cancelled, and is in the log.
    fileprivate mutating func appendedAfterEnd(at position: LogPosition) {
        doneCount += 1
        if first == .none { first = position }
        last = max(last, position)
    }
}
