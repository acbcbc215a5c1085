import CacheModel
import CacheVerification
import CacheWorkload
import MartletClient
import Threading

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
    var oracle: ThreadOracle?
    var followUps: [FollowUp] = []
    var repeats = RepeatQueue()
    /// Keys of the load in flight, without fills and invalidations beside the load.
    var openCount = 0
    /// Fills and invalidations beside the load in flight.
    var asideCount = 0
    let openMax: Int
    /// Whether a phase that fills looks every key up and stores the misses.
    let looksInsteadOfStoring: Bool
    var begunCount = 0
    let insertedBefore: Int
    let isEcho: Bool
    var scratch: DriverScratch
    /// The sums over the message that is being completed; `nil` if each key counts as one
    /// operation.
    var message: MessageSums?

    init(
        _ setup: DriverSetup, startedAt: UInt64, runStartedAt: UInt64, board: ProgressBoard?
    ) {
        self.startedAt = startedAt
        self.runStartedAt = runStartedAt
        phaseName = setup.phase.name
        insertedBefore = setup.insertedCount
        openMax = setup.openMax
        looksInsteadOfStoring = setup.looksInsteadOfStoring
        table = OperationTable(capacity: setup.openMax)
        isEcho = setup.target.isEcho
        if setup.phase.batch > 1 { message = MessageSums() }
        recorder = Recorder(startedAt: startedAt, board: board, thread: setup.share.thread)
        stream = setup.stream
        due = DueRequests(setup, startedAt: startedAt)
        oracle = setup.oracle
        scratch = DriverScratch(
            valueBytesMax: setup.phase.valueSize.bytesMax, run: setup.oracle?.oracle.run)
        recorder.schedule = setup.schedule
    }

    var now: UInt64 { clock.now }
    var hasRoom: Bool { openCount < openMax }
    /// Whether misses are stored, with their tokens.
    var fillsMisses: Bool { oracle != nil || looksInsteadOfStoring }
    /// Whether answers or follow-ups are outstanding.
    var isWaiting: Bool { openCount > 0 || asideCount > 0 || !followUps.isEmpty }

    mutating func nextRequest() -> WorkloadRequest {
        begunCount += 1
        return stream.next()
    }

    /// Whether a due request waits for capacity.
    var isWaitingForRoom: Bool { due.waitingCount > 0 || !followUps.isEmpty }

    mutating func dropFollowUps() {
        for case .write(let tag) in followUps { drop(tag) }
        followUps.removeAll()
        for tag in repeats.takeAll() { drop(tag) }
    }

    private mutating func drop(_ tag: UInt32) {
        table.remove(tag)
        openCount -= 1
    }
}

/// The time of a driver's turn, and how long its thread has waited.
struct TurnClock {
    /// The end of latencies: when the message with the answer was received. Nanoseconds.
    private(set) var now: UInt64 = 0
    /// How long the thread waited for answers or for the next request.
    private(set) var waitedNanoseconds: UInt64 = 0
    private var turn = Turn()

    var instant: Instant { Instant(nanoseconds: now) }

    /// The answers of one turn.
    private struct Turn {
        var lostCount = 0
        var otherCount = 0
        /// When the first answer was received; 0 before.
        var firstAt: UInt64 = 0
    }

    mutating func read() -> UInt64 {
        now = MonotonicClock.now.nanoseconds
        return now
    }

    mutating func beginTurn() { turn = Turn() }
    var wasAllLost: Bool { turn.lostCount > 0 && turn.otherCount == 0 }

    mutating func answered(_ outcome: PipelinedOutcome) {
        if turn.firstAt == 0 { turn.firstAt = now }
        if outcome == .lost { turn.lostCount += 1 } else { turn.otherCount += 1 }
    }

    /// The turn waited from that moment for its first answer, or without any.
    mutating func waited(since moment: UInt64) {
        let end = turn.firstAt == 0 ? read() : turn.firstAt
        waitedNanoseconds += end - min(end, moment)
    }
}

/// Buffers for keys and values before they are copied into messages.
final class DriverScratch {
    private let keyRoom = UnsafeMutableRawBufferPointer.allocate(
        byteCount: CacheKey.bytesMax, alignment: 8)
    private let valueRoom: UnsafeMutableRawBufferPointer
    /// Verified runs have keys of their own: so the values of other clients, and of other verified
    /// runs, are not taken for wrong answers.
    private let run: RunStamp?

    /// - Parameter run: `nil` if nothing is verified.
    init(valueBytesMax: Int, run: RunStamp?) {
        self.run = run
        valueRoom = .allocate(
            byteCount: max(valueBytesMax, WorkloadLimits.verifiedValueBytesMin), alignment: 8)
        valueRoom.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "v"))
    }

    deinit {
        keyRoom.deallocate()
        valueRoom.deallocate()
    }

    /// Writes a key; valid until the next key is written.
    @inline(__always)
    func key(_ number: Int, bytes: Int) -> UnsafeRawBufferPointer {
        let room = UnsafeMutableRawBufferPointer(rebasing: keyRoom[0..<bytes])
        if let run {
            KeyName.write(number, ofRun: run.rawValue, into: room)
        } else {
            KeyName.write(number, into: room)
        }
        return UnsafeRawBufferPointer(room)
    }

    /// A buffer for a value, with the bytes of the last one.
    @inline(__always)
    func value(bytes: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: valueRoom[0..<bytes])
    }
}

extension DriverState {
    /// How many keys it has inserted in this phase.
    var insertedCount: Int { stream.insertedCount - insertedBefore }

    /// The measurements of the thread, once the phase is over.
    ///
    /// - Parameter processorAtStart: the thread's processor time at the beginning.
    mutating func figures(
        _ setup: DriverSetup, _ stop: StopSignal, processorAtStart: Double?
    ) -> PhaseFigures {
        let phase = setup.phase
        // A phase of a given length lasts that long, even without answers at its end.
        var endedAt = recorder.lastAnswerAt
        if let duration = phase.duration, !phase.isFill, !stop.isRaised {
            let planned = startedAt + duration.wholeNanoseconds
            if begunCount < setup.phase.operationCount(of: setup.share) ?? .max {
                endedAt = max(endedAt, planned)
            }
        } else if stop.isRaised {
            endedAt = max(endedAt, clock.read())
        }
        let kinds = MeasuredKind.allCases.filter { isInvalidation($0) }
        var figures = recorder.figures(
            of: phase.name, invalidations: Set(kinds), endedAt: endedAt)
        figures.isWarmUp = phase.isWarmUp
        figures.wasCutShort = stop.reason == .asked
        figures.generator.threadSeconds = figures.seconds
        if let begun = processorAtStart, let ended = ProcessorClock.ofThread {
            figures.generator.processorSeconds = ended - begun
        }
        figures.generator.limit = limit(figures)
        return figures
    }

    /// The bottleneck of this thread.
    private func limit(_ figures: PhaseFigures) -> GeneratorFigures.Limit? {
        guard figures.seconds > 0 else { return nil }
        if let schedule = figures.schedule, schedule.isKept { return .schedule }
        let waited = Double(clock.waitedNanoseconds) / 1e9 / figures.seconds
        if waited < LoadTestLimits.waitingShareMin { return .generator }
        return isEcho ? .echo : .cluster
    }
}
