import CacheModel
import CacheVerification
import CacheWorkload
import MartletClient

/// The state of a driver: operations in flight, answers, due times.
///
/// Separate from the connection, so that the connection can pass answers to it while it is read.
struct DriverState {
    var clock = TurnClock()
    let startedAt: UInt64
    /// When the first phase began.
    let runStartedAt: UInt64
    let phaseName: String
    var table: OperationTable
    var recorder: Recorder
    var stream: RequestStream
    var due: DueRequests
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
    let isEcho: Bool
    var scratch: DriverScratch
    var message = MessageSums()

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
        due = DueRequests(setup, startedAt: startedAt)
        book = setup.book
        scratch = DriverScratch(
            valueBytesMax: setup.phase.valueSize.bytesMax, run: setup.book?.oracle.run)
        recorder.schedule = setup.schedule
    }

    var now: UInt64 { clock.now }
    var hasRoom: Bool { openCount < openMax }
    /// Whether misses are stored, with their tokens.
    var fillsMisses: Bool { book != nil || looksInsteadOfStoring }
    /// Whether answers or follow-ups are outstanding.
    var isWaiting: Bool { openCount > 0 || asideCount > 0 || !followUps.isEmpty }

    mutating func nextRequest() -> WorkloadRequest {
        begunCount += 1
        return stream.next()
    }

    /// Whether a due request waits for capacity.
    var isWaitingForRoom: Bool { due.waitingCount > 0 || !followUps.isEmpty }

    mutating func dropFollowUps() {
        for case .write(let tag) in followUps {
            table.remove(tag)
            openCount -= 1
        }
        followUps.removeAll()
    }
}
