import CacheModel
import CacheVerification
import CacheWorkload
import MartletClient
import Threading

/// The state of a driver: operations in flight, answers, due times.
///
/// Separate from the connection, so that the connection can pass answers to it while it is read.
struct DriverState {
    /// The end of latencies: when the message with the answer was received.
    private(set) var now: UInt64 = 0
    let startedAt: UInt64
    /// When the first phase began.
    let runStartedAt: UInt64
    let phaseName: String
    var table: OperationTable
    var recorder: Recorder
    var stream: RequestStream
    /// Only of an open loop.
    var backlog: ArrivalBacklog?
    /// Invalidations beside the load: their due times and the stream of their keys.
    var beside: (backlog: ArrivalBacklog, stream: RequestStream)?
    /// Only under `--verify`.
    var book: VerificationBook?
    var followUps: [FollowUp] = []
    /// Keys of the load in flight, without fills and invalidations beside the load.
    var openCount = 0
    /// Fills and invalidations beside the load in flight.
    var asideCount = 0
    let openMax: Int
    /// Whether a message counts as one operation, for any number of keys.
    let countsMessages: Bool
    /// Whether a phase that fills looks every key up and stores the misses.
    let looksInsteadOfStoring: Bool
    var begunCount = 0
    let insertedBefore: Int
    /// How long the thread waited for answers or for the next request.
    private(set) var waitedNanoseconds: UInt64 = 0
    let isEcho: Bool
    var scratch: DriverScratch
    private var turn = Turn()
    var message = MessageSums()
    /// Unsent requests that the recorder has already counted.
    private var notSentTold = 0

    /// The answers of one turn.
    private struct Turn {
        var lostCount = 0
        var otherCount = 0
        /// When the first answer was received; 0 before.
        var firstAt: UInt64 = 0
    }

    init(
        _ setup: DriverSetup, startedAt: UInt64, runStartedAt: UInt64, board: ProgressBoard?
    ) {
        self.startedAt = startedAt
        self.runStartedAt = runStartedAt
        phaseName = setup.phase.name
        insertedBefore = setup.insertedCount
        openMax = setup.openMax
        countsMessages = setup.phase.batch > 1
        looksInsteadOfStoring = setup.looksInsteadOfStoring
        table = OperationTable(capacity: setup.openMax)
        isEcho = setup.target.isEcho
        recorder = Recorder(startedAt: startedAt, board: board, thread: setup.share.thread)
        stream = setup.stream
        backlog = setup.backlog(startedAt)
        beside = setup.beside(startedAt)
        book = setup.book
        scratch = DriverScratch(
            valueBytesMax: setup.phase.valueSize.bytesMax, run: setup.book?.oracle.run)
        recorder.schedule = setup.schedule
    }

    mutating func readClock() -> UInt64 {
        now = MonotonicClock.now.nanoseconds
        return now
    }

    var hasRoom: Bool { openCount < openMax }
    /// Whether misses are stored, with their tokens.
    var fillsMisses: Bool { book != nil || looksInsteadOfStoring }
    /// Whether answers or follow-ups are outstanding.
    var isWaiting: Bool { openCount > 0 || asideCount > 0 || !followUps.isEmpty }

    mutating func nextRequest() -> WorkloadRequest {
        begunCount += 1
        return stream.next()
    }

    mutating func beginTurn() { turn = Turn() }
    var wasAllLost: Bool { turn.lostCount > 0 && turn.otherCount == 0 }

    mutating func note(_ outcome: PipelinedOutcome) {
        if turn.firstAt == 0 { turn.firstAt = now }
        if outcome == .lost { turn.lostCount += 1 } else { turn.otherCount += 1 }
    }

    /// The turn waited from that moment for its first answer, or without any.
    mutating func waited(since moment: UInt64) {
        let end = turn.firstAt == 0 ? readClock() : turn.firstAt
        waitedNanoseconds += end - min(end, moment)
    }

    // MARK: Due requests

    /// Whether a due request waits for capacity.
    var isWaitingForRoom: Bool { (backlog?.waitingCount ?? 0) > 0 || !followUps.isEmpty }

    /// When the next request of a schedule is due.
    var nextDue: UInt64? {
        let own = backlog?.nextDue.nanoseconds
        let other = beside?.backlog.nextDue.nanoseconds
        return own.map { min($0, other ?? .max) } ?? other
    }

    mutating func arrive(by now: UInt64, before end: UInt64) {
        backlog?.arrive(by: Instant(nanoseconds: now), before: Instant(nanoseconds: end))
        tellNotSent()
    }

    /// Counts requests that will never be sent as soon as that is decided, not at the end of the
    /// phase.
    private mutating func tellNotSent() {
        guard let backlog, backlog.notSentCount > notSentTold else { return }
        recorder.notSent(UInt64(backlog.notSentCount - notSentTold))
        notSentTold = backlog.notSentCount
    }

    /// The due time of the request to send now; `nil` if none is due.
    mutating func takeDue(_ now: UInt64) -> UInt64? {
        guard let due = backlog?.take()?.nanoseconds else { return nil }
        recorder.schedule?.lateness.note(nanoseconds: now > due ? now - due : 0)
        return due
    }

    mutating func arriveBeside(by now: UInt64, before end: UInt64) {
        beside?.backlog.arrive(by: Instant(nanoseconds: now), before: Instant(nanoseconds: end))
    }

    mutating func takeBeside() -> UInt64? { beside?.backlog.take()?.nanoseconds }

    /// The phase is over: due and unsent requests are never sent.
    mutating func endSchedules(pending: PendingRequest?) {
        if var backlog {
            backlog.abandon()
            recorder.schedule?.dueCount = UInt64(backlog.dueCount)
            recorder.schedule?.backlogMax = UInt64(backlog.waitingPeak)
            self.backlog = backlog
            tellNotSent()
            if pending != nil { recorder.notSent(1) }
        }
        guard var rest = beside?.backlog else { return }
        rest.abandon()
        recorder.notSentBeside(UInt64(rest.notSentCount))
        beside?.backlog = rest
    }

    mutating func dropFollowUps() {
        for case .write(let tag) in followUps {
            table.remove(tag)
            openCount -= 1
        }
        followUps.removeAll()
    }
}
