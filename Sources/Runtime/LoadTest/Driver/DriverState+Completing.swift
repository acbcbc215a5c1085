import CacheModel
import CacheVerification
import CacheWire
import MartletClient

extension DriverState {
    /// Handles one key's answer.
    mutating func complete(_ completion: PipelinedCompletion) {
        if completion.isFirst {
            _ = clock.read()
            message?.removeAll()
        }
        clock.answered(completion.outcome)
        if !isRepeated(completion) { complete(table[completion.tag], completion) }
        guard completion.isLast, message != nil else { return }
        for kind in 0..<MeasuredKind.count {
            if let ending = message?.take(kind) { recorder.finished(ending, now: now) }
        }
    }

    private mutating func complete(
        _ operation: Operation, _ completion: PipelinedCompletion
    ) {
        switch operation.step {
        case .only, .beside: completeOnly(operation, completion)
        case .reading: completeReading(operation, completion)
        case .writing: completeWriting(operation, completion)
        case .scanning: completeScanning(operation, completion)
        case .filling: completeFill(operation, completion)
        }
    }

    private mutating func completeOnly(
        _ operation: Operation, _ completion: PipelinedCompletion
    ) {
        table.remove(completion.tag)
        let isAside = operation.step == .beside
        if isAside { asideCount -= 1 } else { openCount -= 1 }
        let bytes =
            completion.outcome == .stored ? Int(operation.valueBytes) : completion.value.count
        recorder.answered(operation.kind, completion.outcome, bytes: bytes)
        if oracle != nil {
            if operation.kind == .get {
                judge(operation, completion)
            } else {
                noteReceipt(operation, completion)
            }
        }
        if operation.kind == .get { fillMiss(of: operation, completion) }
        finish(operation, isGood: completion.outcome.isGood, isAside: isAside)
    }

    private mutating func completeReading(
        _ operation: Operation, _ completion: PipelinedCompletion
    ) {
        if oracle != nil { judge(operation, completion) }
        fillMiss(of: operation, completion)
        guard completion.outcome.isGood else {
            recorder.answered(operation.kind, completion.outcome, bytes: 0)
            table.remove(completion.tag)
            openCount -= 1
            finish(operation, isGood: false)
            return
        }
        // One operation on one key: it counts once its write is done.
        recorder.looked(operation.kind, completion.outcome, bytes: completion.value.count)
        table[completion.tag].step = .writing
        table[completion.tag].busySince = 0
        followUps.append(.write(completion.tag))
    }

    private mutating func completeWriting(
        _ operation: Operation, _ completion: PipelinedCompletion
    ) {
        table.remove(completion.tag)
        openCount -= 1
        let bytes = completion.outcome == .stored ? Int(operation.valueBytes) : 0
        recorder.answered(operation.kind, completion.outcome, bytes: bytes)
        if oracle != nil { noteReceipt(operation, completion) }
        finish(operation, isGood: completion.outcome.isGood)
    }

    private mutating func completeScanning(
        _ operation: Operation, _ completion: PipelinedCompletion
    ) {
        table.remove(completion.tag)
        openCount -= 1
        recorder.answered(.scan, completion.outcome, bytes: completion.value.count)
        if oracle != nil { judge(operation, completion) }
        fillMiss(of: operation, completion)
        var scan = table[operation.link]
        scan.link -= 1
        scan.isGood = scan.isGood && completion.outcome.isGood
        table[operation.link] = scan
        guard scan.link == 0 else { return }
        table.remove(operation.link)
        recorder.finished(Ending(.scan, dueAt: scan.dueAt, isGood: scan.isGood), now: now)
    }

    private mutating func completeFill(
        _ operation: Operation, _ completion: PipelinedCompletion
    ) {
        table.remove(completion.tag)
        asideCount -= 1
        let isStored = completion.outcome == .stored
        oracle?.oracle.fillAnswered(
            operation.key, operation.version, isStored: isStored, at: clock.instant)
        // As a rule, the key was invalidated meanwhile: the promise was kept. The reason for the
        // refusal is not known here, so refused fills are counted separately, and never left out.
        // The owner of a key that has moved would refuse the token of the former one.
        guard completion.outcome != .refused, !(completion.outcome == .busy && repeats.isOn)
        else {
            oracle?.fillRefused()
            return
        }
        recorder.answered(
            .fill, completion.outcome, bytes: isStored ? Int(operation.valueBytes) : 0)
        finish(operation, isGood: isStored, isAside: true)
    }

    /// Ends an operation of one key, or adds it to the sums of its message.
    private mutating func finish(_ operation: Operation, isGood: Bool, isAside: Bool = false) {
        var ending = Ending(operation.kind, dueAt: operation.dueAt, isGood: isGood)
        ending.isInvalidation = isInvalidation(operation.kind)
        ending.isAside = isAside
        if message == nil { recorder.finished(ending, now: now) } else { message?.add(ending) }
    }

    /// Whether a receipt of the publisher ends operations of this kind.
    func isInvalidation(_ kind: MeasuredKind) -> Bool {
        switch kind {
        case .invalidate: true
        case .set, .insert, .delete, .readModifyWrite: oracle != nil
        case .get, .scan, .fill: false
        }
    }

    // MARK: Verification

    /// Judges the answer to a lookup.
    private mutating func judge(_ operation: Operation, _ completion: PipelinedCompletion) {
        guard let standing = JudgedAnswer.Standing(completion) else { return }
        let answer = JudgedAnswer(
            key: operation.key, standing: standing, floor: operation.version,
            askedAt: Instant(nanoseconds: operation.askedAt), position: completion.position)
        let moment = clock.instant
        if let violation = oracle?.judge(answer, completion.value, at: moment) {
            keep(violation, of: operation)
        }
    }

    /// Queues the fill of a miss, if misses are filled.
    private mutating func fillMiss(of operation: Operation, _ completion: PipelinedCompletion) {
        guard fillsMisses, completion.outcome == .miss, let token = completion.token else {
            return
        }
        followUps.append(
            .fill(
                key: operation.key, keyBytes: operation.keyBytes,
                valueBytes: operation.valueBytes, token: token, since: now))
    }

    private mutating func keep(_ violation: ViolationFigures, of operation: Operation) {
        var violation = violation
        violation.key = Array(
            scratch.key(operation.key, bytes: Int(operation.keyBytes)))
        violation.phase = phaseName
        violation.atSeconds = Double(now - min(now, runStartedAt)) / 1e9
        oracle?.keep(violation)
    }

    private mutating func noteReceipt(_ operation: Operation, _ completion: PipelinedCompletion) {
        guard let ticket = operation.ticket else { return }
        oracle?.receipt(
            ticket, completion.outcome, completion.position, at: clock.instant)
    }
}

extension PipelinedOutcome {
    /// Whether the operation was done, or answered.
    var isGood: Bool {
        switch self {
        case .hit, .stale, .miss, .stored, .removed, .invalidated: true
        case .unconfirmed, .busy, .behind, .refused, .lost: false
        }
    }
}

extension JudgedAnswer.Standing {
    /// The standing of the answer to a lookup; `nil` if it is no such answer.
    init?(_ completion: PipelinedCompletion) {
        switch completion.outcome {
        case .hit:
            // Loaded by a node without a lease: right for its reader, and not vouched for.
            self =
                completion.flags.contains(.suspect)
                ? .stale : completion.flags.contains(.unfenced) ? .unfenced : .fresh
        case .stale: self = .stale
        case .miss: self = .miss
        default: return nil
        }
    }
}
