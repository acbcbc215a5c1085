import CacheModel
import CacheVerification
import CacheWorkload
import MartletClient
import Threading

/// What a driver knows: what is on its way, what was answered, what is due.
///
/// Apart from its connection, so that answers can be handed to it while they are taken.
struct DriverState {
    /// What every answer's latency is counted to: when the message was taken that brought it.
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
    /// Invalidations that are ordered beside the load, and whose keys.
    var beside: (backlog: ArrivalBacklog, stream: RequestStream)?
    /// Only under `--verify`.
    var book: VerificationBook?
    var followUps: [FollowUp] = []
    /// Keys of the load on their way; fills and what is beside it do not count.
    var openCount = 0
    /// Fills and invalidations beside the load that are on their way.
    var asideCount = 0
    let openMax: Int
    /// Whether a message is an operation, however many keys it has.
    let countsMessages: Bool
    /// A phase that fills asks for every key and stores what is missed.
    let looksInsteadOfStoring: Bool
    var begunCount = 0
    let insertedBefore: Int
    /// How long the thread waited for answers or for the next request.
    private(set) var waitedNanoseconds: UInt64 = 0
    let isEcho: Bool
    var scratch: DriverScratch
    private var turn = Turn()
    var message = MessageSums()
    /// How much of what was never sent the recorder knows of.
    private var notSentTold = 0

    /// What became of the answers of one turn.
    private struct Turn {
        var lostCount = 0
        var otherCount = 0
        /// When its first answer was taken; 0 before.
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
    /// Whether what is missed is stored, under the token that came with the miss.
    var fillsMisses: Bool { book != nil || looksInsteadOfStoring }
    /// Whether an answer is to come, or something follows from one.
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

    /// The turn waited from that moment on for its first answer, or in vain.
    mutating func waited(since moment: UInt64) {
        let end = turn.firstAt == 0 ? readClock() : turn.firstAt
        waitedNanoseconds += end - min(end, moment)
    }

    // MARK: What is due

    /// Whether something is due already and only waits for room.
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

    /// Counts what will never be sent when that is decided, not when the phase is over.
    private mutating func tellNotSent() {
        guard let backlog, backlog.notSentCount > notSentTold else { return }
        recorder.notSent(UInt64(backlog.notSentCount - notSentTold))
        notSentTold = backlog.notSentCount
    }

    /// When the request was due that is sent now; `nil` if none is due.
    mutating func takeDue(_ now: UInt64) -> UInt64? {
        guard let due = backlog?.take()?.nanoseconds else { return nil }
        recorder.schedule?.lateness.note(nanoseconds: now > due ? now - due : 0)
        return due
    }

    mutating func arriveBeside(by now: UInt64, before end: UInt64) {
        beside?.backlog.arrive(by: Instant(nanoseconds: now), before: Instant(nanoseconds: end))
    }

    mutating func takeBeside() -> UInt64? { beside?.backlog.take()?.nanoseconds }

    /// The phase is over: what is due and not sent never will be.
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
