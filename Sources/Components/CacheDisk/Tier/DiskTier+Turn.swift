extension DiskTier {
    /// Handles the completion of a command.
    package mutating func completed(_ completion: DiskCompletion) {
        let (ticket, outcome) = (completion.ticket, completion.outcome)
        let errand = log.errands.complete(ticket)
        switch errand {
        case .read(let read):
            let ended = reads.finish(ticket, read, outcome, &log)
            return finish(ended)
        case .part(let whole, let number):
            let ended = reads.finishPart(whole, number, outcome, &log)
            return finish(ended)
        case .reclaimPiece(let segment, let range):
            return reclaimer.finishPiece(segment, range, outcome)
        case .moveDivided(let read, let segment):
            return finishMoveRead(read, of: segment, outcome)
        case .reclaimFooter: return reclaimer.finishFooter(outcome, &log)
        case .recovery(let read):
            let step = recovery.finishRead(read, outcome, &log)
            return finish(step)
        case .releasing(let place):
            guard state == .open else { return }
            let refusal = space.finishRelease(place, outcome, &log)
            if let refusal { news.append(.spaceKept(refusal)) }
            return
        case .reserving(let place):
            guard state == .open else { return }
            return space.finishReserve(place, outcome, &log)
        case .releasedAgain: return
        case .slot, .write, .sealed, .checkpoint, .opening, .closing, .closed, .unmarking: break
        }
        if case .failed(let failure) = outcome {
            return giveUp(failure)
        }
        // Commands issued before it gave up neither open nor close it.
        if case .failed = state { return }
        finish(errand, ticket)
    }

    /// Handles a completed write or synchronization.
    private mutating func finish(_ errand: Errand, _ ticket: DiskTicket) {
        switch errand {
        case .slot: _ = log.tail.written(ticket)
        case .sealed(let number):
            let place = log.place(of: number)
            if log.segments[place].number == number { log.segments[place].isSettled = true }
        case .checkpoint(let mark): news.append(.checkpointed(mark))
        case .opening:
            state = .open
            if let recovered = recovery.end() { news.append(.recovered(recovered)) }
        case .closing(let superblock):
            log.write(superblock.encoded, at: 0)
            log.synchronize(for: .closed)
        case .closed:
            state = .closed
            news.append(.closed)
        case .unmarking(let place): space.finishUnmark(place, &log)
        case .write, .read, .part, .reclaimFooter, .reclaimPiece, .moveDivided, .recovery,
            .releasing, .releasedAgain, .reserving:
            break
        }
    }

    /// Does a slice of long work.
    package mutating func tick() {
        switch state {
        case .recovering:
            finish(recovery.slice(&log))
        case .open:
            if !log.removals.isEmpty { log.settle() }
            space.slice(&log)
            reclaimer.begin(&log, space)
            reclaimer.slice(&log)
            log.storeSlice(keptFrom: oldestKept)
        default: break
        }
    }

    /// Segments before it are void, or about to be.
    private var oldestKept: SegmentNumber {
        max(oldestSegment, reclaimer.current?.segment.next ?? .none)
    }

    /// Whether ``tick()`` can make progress now.
    package var hasDueWork: Bool {
        switch state {
        case .recovering: recovery.hasDueWork
        case .open:
            reclaimer.isDue(log, space) || reclaimer.canGoOn(log) || log.canStore
                || space.canWithdraw(log)
        default: false
        }
    }

    /// Gives up after failed writes, or if the owner of the file has lost it: no more commands are
    /// issued. Entries in memory are not affected. The file misses every removal from now on, so a
    /// later process must not use it.
    ///
    /// A tier that is closed, or has given up, stays as it is.
    package mutating func giveUp(_ failure: DiskFailure) {
        switch state {
        case .closed, .failed, .unusable: return
        case .recovering, .beginning, .open, .closing: break
        }
        state = .failed(failure)
        log.tail.say { $0.isUnsafe = true }
        log.forgetIndex()
        log.removals.fingerprints.removeAll()
        log.endStores()
        reads.giveUp()
        reclaimer.end()
        _ = recovery.end()
        news.append(.failed(failure))
    }

    // MARK: Beginning and ending

    /// Starts to read an earlier process's log. Ends with ``DiskNews/recovered(_:)``,
    /// ``DiskNews/unusable(_:)`` or ``DiskNews/failed(_:)``.
    package mutating func beginRecovery() {
        precondition(state == .recovering, "a tier begins once")
        finish(recovery.begin(&log))
    }

    /// Handles the end of a step of the recovery.
    private mutating func finish(_ step: TierRecovery.Step) {
        switch step {
        case .goesOn: break
        case .failed(let failure): giveUp(failure)
        case .unusable(let cause):
            // Also for later processes, as it lacks this one's removals.
            if log.tail.state.counter > 0 { log.tail.say { $0.isUnsafe = true } }
            _ = recovery.end()
            log.forgetIndex()
            state = .unusable(cause)
            news.append(.unusable(cause))
        case .segmentsAreRead:
            recovery.freeVoid(&log)
            space.goOnWithoutWithdrawn(&log)
            recovery.finish(&log)
            guard let recovered = recovery.recovered else { return }
            checkpointCounter = recovered.checkpoint.counter
            sayOpen()
        }
    }

    /// `nil` once it is open, or has given up.
    package var recoveryProgress: RecoveryProgress? {
        state == .recovering ? recovery.progress(log) : nil
    }

    /// Starts a new tier, with a zeroed tail. It is open once the superblock is written, and a
    /// checkpoint, without which no log is valid after a restart.
    ///
    /// - Parameters:
    ///   - checkpoint: of the node, now.
    ///   - segmentCount: how many segments, from the first on, have space; `nil` for all.
    package mutating func beginAnew(
        _ checkpoint: Checkpoint, withRoomFor segmentCount: Int? = nil
    ) {
        precondition(log.active == .none && state == .recovering, "a tier begins once")
        log.tail.clear()
        log.tail.say { _ in }
        if let segmentCount {
            TierSpace.begin(withRoomFor: segmentCount, &log)
        }
        putCheckpoint(checkpoint)
        sayOpen()
    }

    /// Marks the tier as open in the superblock. If a power loss undid that, lost records would go
    /// unnoticed.
    mutating func sayOpen() {
        state = .beginning
        log.write(superblock.encoded, at: 0)
        log.synchronize(for: .opening)
    }

    /// Writes the node's state besides its entries.
    ///
    /// - Parameter checkpoint: its floors and head fit ``DiskGeometry/checkpointBytes``.
    package mutating func checkpoint(_ checkpoint: Checkpoint) {
        guard state == .open else { return }
        putCheckpoint(checkpoint)
    }

    private mutating func putCheckpoint(_ checkpoint: Checkpoint) {
        checkpointCounter += 1
        var checkpoint = checkpoint
        checkpoint.counter = checkpointCounter
        let bytes = checkpoint.encoded(log.seal)
        precondition(bytes.count <= geometry.checkpointBytes, "a checkpoint fits its place")
        log.write(
            bytes, for: .checkpoint(checkpoint.mark),
            at: geometry.checkpointOffset(Int(checkpointCounter % 2)))
    }

    /// Closes in order: everything is written and synchronized, and then the superblock marks it as
    /// closed. In two steps: unsynchronized bytes must not be valid after a power loss.
    ///
    /// - Parameter calendar: now, in milliseconds since 1970.
    package mutating func close(_ checkpoint: Checkpoint, calendar: UInt64) {
        guard state == .open else { return }
        var superblock = superblock
        superblock.closed = now
        superblock.machine.calendar = calendar
        while log.canStore { log.storeSlice(keptFrom: oldestKept) }
        log.endStores()
        log.handOver()
        self.checkpoint(checkpoint)
        state = .closing
        log.synchronize(for: .closing(superblock))
    }
}
