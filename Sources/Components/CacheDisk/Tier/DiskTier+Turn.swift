extension DiskTier {
    /// A command has been carried out, or could not be.
    package mutating func completed(
        _ completion: DiskCompletion, into commands: inout [DiskCommand],
        news: inout [DiskNews]
    ) {
        guard let errand = errands.removeValue(forKey: completion.ticket) else {
            preconditionFailure("a command is completed once")
        }
        switch errand {
        case .read(let read):
            return finishRead(
                completion.ticket, read, completion.outcome, into: &commands, news: &news)
        case .part(let whole, let number):
            return finishPart(whole, number, completion.outcome, into: &commands, news: &news)
        case .reclaimPiece(let segment, let range):
            return finishReclaimPiece(segment, range, completion.outcome)
        case .moveDivided(let read, let segment):
            return finishMove(read, of: segment, completion.outcome, into: &commands, news: &news)
        case .reclaimFooter: return finishReclaimFooter(completion.outcome)
        case .recovery(let read):
            return finishRecoveryRead(read, completion.outcome, into: &commands, news: &news)
        case .releasing(let place):
            return finishRelease(place, completion.outcome, into: &commands, news: &news)
        case .reserving(let place):
            return finishReserve(place, completion.outcome, into: &commands)
        case .releasedAgain: return
        case .slot, .write, .sealed, .checkpoint, .opening, .closing, .closed, .unmarking: break
        }
        if case .failed(let failure) = completion.outcome {
            return giveUp(failure, news: &news)
        }
        // What was commanded before it gave up does not open it, nor end it in order.
        if case .failed = state { return }
        finish(errand, completion.ticket, into: &commands, news: &news)
    }

    /// What was to be written, or synchronized, is.
    private mutating func finish(
        _ errand: Errand, _ ticket: DiskTicket, into commands: inout [DiskCommand],
        news: inout [DiskNews]
    ) {
        switch errand {
        case .slot: _ = tail.written(ticket)
        case .sealed(let number):
            if segments[ring(number)].number == number { segments[ring(number)].isSettled = true }
        case .checkpoint(let mark): news.append(.checkpointed(mark))
        case .opening:
            state = .open
            if let recovered { news.append(.recovered(recovered)) }
            recovered = nil
        case .closing(let superblock):
            write(superblock.encoded, at: 0, into: &commands)
            commands.append(.synchronize(self.ticket(.closed)))
        case .closed:
            state = .closed
            news.append(.closed)
        case .unmarking(let place): finishUnmark(place)
        case .write, .read, .part, .reclaimFooter, .reclaimPiece, .moveDivided, .recovery,
            .releasing, .releasedAgain, .reserving:
            break
        }
    }

    /// Does a slice of what takes long.
    package mutating func tick(
        into commands: inout [DiskCommand], news: inout [DiskNews]
    ) {
        switch state {
        case .recovering: recoverySlice(into: &commands, news: &news)
        case .open:
            if isResetPending || !pending.isEmpty { settle(into: &commands) }
            spaceSlice(into: &commands)
            beginReclaim(into: &commands)
            reclaimSlice(into: &commands)
            storeSlice(into: &commands)
        default: break
        }
    }

    /// Whether ``tick(into:news:)`` has something to do that waits for nothing.
    package var hasDueWork: Bool {
        switch state {
        case .recovering:
            if case .nothing = recoveryWork { false } else { true }
        case .open:
            isReclaimDue || canReclaim || canStore || canWithdraw
        default: false
        }
    }

    /// Writes failed, or whoever holds the file has lost it: nothing more is asked of it. What is
    /// in memory is not touched. What lies there misses every removal from now on, and must not be
    /// believed by a later process.
    ///
    /// A tier that has ended, or given up, stays as it is.
    package mutating func giveUp(_ failure: DiskFailure, news: inout [DiskNews]) {
        switch state {
        case .closed, .failed, .unusable: return
        case .recovering, .beginning, .open, .closing: break
        }
        state = .failed(failure)
        tail.say { $0.isUnsafe = true }
        index.removeAll()
        noteAllDead()
        pending.removeAll()
        endStoringAll()
        assembling.removeAll()
        endReclaim()
        recovery = nil
        recoveryWork = .nothing
        news.append(.failed(failure))
    }

    // MARK: Beginning and ending

    /// Begins a tier that is new: its tail is zeros. It is open once the superblock is written, and
    /// a checkpoint, without which nothing could be believed after a restart.
    ///
    /// - Parameters:
    ///   - checkpoint: what the node knows now.
    ///   - segmentCount: how many segments, from the first on, have room; `nil` for all.
    package mutating func beginAnew(
        _ checkpoint: Checkpoint, withRoomFor segmentCount: Int? = nil,
        into commands: inout [DiskCommand]
    ) {
        precondition(active == .none && state == .recovering, "a tier begins once")
        tail.clear()
        tail.say { _ in }
        if let segmentCount { beginWithRoom(for: segmentCount, into: &commands) }
        putCheckpoint(checkpoint, into: &commands)
        sayOpen(into: &commands)
    }

    /// Says in the superblock that the tier is open. Were that lost with the power, records that
    /// were lost too would be missed by nobody.
    mutating func sayOpen(into commands: inout [DiskCommand]) {
        state = .beginning
        write(superblock.encoded, at: 0, into: &commands)
        commands.append(.synchronize(ticket(.opening)))
    }

    /// Writes what the node knows besides its entries.
    ///
    /// - Parameter checkpoint: its floors and head fit ``DiskGeometry/checkpointBytes``.
    package mutating func checkpoint(
        _ checkpoint: Checkpoint, into commands: inout [DiskCommand]
    ) {
        guard state == .open else { return }
        putCheckpoint(checkpoint, into: &commands)
    }

    private mutating func putCheckpoint(
        _ checkpoint: Checkpoint, into commands: inout [DiskCommand]
    ) {
        checkpointCounter += 1
        var checkpoint = checkpoint
        checkpoint.counter = checkpointCounter
        let bytes = checkpoint.encoded(seal)
        precondition(bytes.count <= geometry.checkpointBytes, "a checkpoint fits its place")
        statistics.writtenBytes += UInt64(bytes.count)
        commands.append(
            .write(
                ticket(.checkpoint(checkpoint.mark)), .owned(bytes),
                at: geometry.checkpointOffset(Int(checkpointCounter % 2))))
    }

    /// Ends in order: everything is written and synchronized, and then the superblock says so. In
    /// two steps: what could not be synchronized must not be believed after losing power.
    ///
    /// - Parameter calendar: milliseconds since 1970, now.
    package mutating func close(
        _ checkpoint: Checkpoint, calendar: UInt64, into commands: inout [DiskCommand]
    ) {
        guard state == .open else { return }
        var superblock = superblock
        superblock.closed = now
        superblock.machine.calendar = calendar
        while canStore { storeSlice(into: &commands) }
        endStoringAll()
        handOver(into: &commands)
        self.checkpoint(checkpoint, into: &commands)
        state = .closing
        commands.append(.synchronize(ticket(.closing(superblock))))
    }
}
