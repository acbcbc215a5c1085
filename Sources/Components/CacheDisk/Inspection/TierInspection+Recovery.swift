/// A recovery without side effects: it reads the file, and its writes go to the overlay.
extension TierInspection {
    mutating func beginRecovery() {
        phase = .recovery
        if facts.tail.state == nil {
            tier.news.append(.unusable(.tailDamaged))
        } else {
            tier.beginRecovery()
        }
    }

    mutating func recoveryStep() -> Need {
        if cursor < tier.commands.count {
            let command = tier.commands[cursor]
            cursor += 1
            return carryOut(command)
        }
        tier.commands.removeAll()
        cursor = 0
        if tier.state == .recovering, tier.hasDueWork {
            tier.tick()
        } else {
            finishRecovery()
        }
        return .turn
    }

    private mutating func carryOut(_ command: DiskCommand) -> Need {
        switch command {
        case .read(let ticket, let byteCount, let offset):
            self.ticket = ticket
            readOffset = offset
            return .read(offset..<offset + byteCount)
        case .write(let ticket, let bytes, let offset):
            if case .owned(let bytes) = bytes { overlay.write(bytes, at: offset) }
            complete(ticket, .done)
        case .synchronize(let ticket), .release(let ticket, _, _), .reserve(let ticket, _, _):
            complete(ticket, .done)
        }
        return .turn
    }

    mutating func finishRecoveryRead(_ bytes: [UInt8]?) {
        guard let ticket else { preconditionFailure("nothing was asked for") }
        self.ticket = nil
        let shown = bytes.map { overlay.applied(to: $0, at: readOffset) }
        complete(ticket, shown.map { .read($0) } ?? .failed(.cut))
    }

    private mutating func complete(_ ticket: DiskTicket, _ outcome: DiskCompletion.Outcome) {
        tier.completed(DiskCompletion(ticket, outcome))
    }

    private mutating func finishRecovery() {
        for one in tier.news {
            switch one {
            case .recovered(let found):
                facts.log = .recovered(
                    entryCount: found.entryCount, damageCount: found.damageCount)
            case .unusable(let cause): facts.log = .unusable(cause)
            case .failed(let failure): facts.log = .unusable(.failed(failure))
            default: continue
            }
        }
        tier.news.removeAll()
        if case .unusable? = facts.log { showRuns() }
        phase = .header(ring: 0)
    }

    /// Applies the runs of the tail as a recovery would have, had it begun.
    private mutating func showRuns() {
        for run in facts.tail.runs where run.segment > .none {
            overlay.write(run.bytes, at: tier.log.fileOffset(run.segment, run.start))
        }
    }

    // MARK: Headers

    mutating func takeHeader(_ bytes: [UInt8]?, _ ring: Int) {
        let seal = plan.superblock.seal
        headers[ring] = bytes.flatMap { $0.withUnsafeBytes { DiskSegmentHeader($0, seal) } }
        let mark = bytes.flatMap {
            $0.withUnsafeBytes { WithdrawalMark($0, at: ring, seal) }
        }
        if mark != nil { marked.append(ring) }
        isHeaderDamaged[ring] =
            headers[ring] == nil
            && bytes?.prefix(DiskSegmentHeader.bytes).allSatisfy { $0 == 0 } != true
        guard ring + 1 == geometry.segmentCount else { return phase = .header(ring: ring + 1) }
        adoptMarks()
        facts.withdrawnCount = tier.log.ring.outsideCount
        for number in segmentNumbers where tier.log.ring.contains(number) {
            facts.segments.append(segmentFacts(number))
        }
        phase = .segments
        beginSegment(at: 0)
    }

    private mutating func adoptMarks() {
        guard let state = facts.tail.state else { return }
        var recovery = Recovery(state, runs: facts.tail.runs, ringCount: geometry.segmentCount)
        recovery.headers = headers
        let ring = SegmentRing(geometry.segmentCount)
        tier.log.adoptMarks(marked) { recovery.hasSegment(at: $0, in: ring) }
    }

    /// The segments of the log according to the tail; if that is unknown, according to the headers.
    private var segmentNumbers: [SegmentNumber] {
        if let numbers = facts.tail.numbers {
            return numbers.map(SegmentNumber.init)
        }
        return headers.enumerated().compactMap { ring, header in
            header.flatMap { tier.log.place(of: $0.number) == ring ? $0.number : nil }
        }.sorted()
    }

    private func segmentFacts(_ number: SegmentNumber) -> SegmentFacts {
        let ring = tier.log.place(of: number)
        let isActive = number == facts.tail.state?.newest
        var found = SegmentFacts(
            number: number, use: isActive ? .active : .unsealed, ring: ring,
            header: isHeaderDamaged[ring]
                ? .damaged : headers[ring]?.number == number ? .whole : .missing,
            footer: isActive ? nil : .missing)
        switch facts.log {
        case .recovered: found.isVoid = number < tier.log.tail.state.oldest
        case .unusable, nil: found.isVoid = true
        }
        return found
    }
}
