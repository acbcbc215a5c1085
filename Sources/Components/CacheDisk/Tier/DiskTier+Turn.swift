extension DiskTier {
    /// Handles the completion of a command.
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
        // Commands issued before it gave up neither open nor close it.
        if case .failed = state { return }
        finish(errand, completion.ticket, into: &commands, news: &news)
    }

    /// Handles a completed write or synchronization.
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

    /// Does a slice of long work.
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

    /// Whether ``tick(into:news:)`` can make progress now.
    package var hasDueWork: Bool {
        switch state {
        case .recovering:
            if case .nothing = recoveryWork { false } else { true }
        case .open:
            isReclaimDue || canReclaim || canStore || canWithdraw
        default: false
        }
    }

    /// Gives up after failed writes, or if the owner of the file has lost it: no more commands are
    /// issued. Entries in memory are not affected. The file misses every removal from now on, so a
    /// later process must not use it.
    ///
    /// A tier that is closed, or has given up, stays as it is.
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

    /// Starts a new tier, with a zeroed tail. It is open once the superblock is written, and a
    /// checkpoint, without which no log is valid after a restart.
    ///
    /// - Parameters:
    ///   - checkpoint: of the node, now.
    ///   - segmentCount: how many segments, from the first on, have space; `nil` for all.
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

    /// Marks the tier as open in the superblock. If a power loss undid that, lost records would go
    /// unnoticed.
    mutating func sayOpen(into commands: inout [DiskCommand]) {
        state = .beginning
        write(superblock.encoded, at: 0, into: &commands)
        commands.append(.synchronize(ticket(.opening)))
    }

    /// Writes the node's state besides its entries.
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

    /// Closes in order: everything is written and synchronized, and then the superblock marks it as
    /// closed. In two steps: unsynchronized bytes must not be valid after a power loss.
    ///
    /// - Parameter calendar: now, in milliseconds since 1970.
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
