package import CacheModel

/// What the tail says of the log.
package struct TailFacts: Sendable {
    package static let slotCount = Tail.slotCount
    package static let copyCount = TailState.copyOffsets.count

    /// Copies of the state that prove themselves; and that were written and do not.
    package private(set) var wholeCopies = 0
    package private(set) var damagedCopies = 0
    package private(set) var damagedSlots = 0
    /// The newest state; `nil` if none proves itself.
    private(set) var state: TailState?
    /// In the slots, in the order of the log.
    let runs: [Tail.Run]

    init(_ tail: UnsafeRawBufferPointer, _ seal: RecordSeal, ringCount: Int) {
        for offset in TailState.copyOffsets {
            let copy = UnsafeRawBufferPointer(rebasing: tail[offset..<offset + TailState.bytes])
            if TailState(copy, seal) != nil {
                wholeCopies += 1
            } else if !copy.allSatisfy({ $0 == 0 }) {
                damagedCopies += 1
            }
        }
        let slotBytes = Tail.slotBytes(tail: tail.count)
        var found: [Tail.Run] = []
        for number in 0..<Tail.slotCount {
            let from = DiskLimits.pageBytes + number * slotBytes
            let slot = UnsafeRawBufferPointer(rebasing: tail[from..<from + slotBytes])
            if StoredInteger.read(slot, at: 0) == TailSlot.emptyMagic { continue }
            guard let run = Tail.run(slot, seal) else {
                damagedSlots += 1
                continue
            }
            if run.end > run.start { found.append(run) }
        }
        state = Tail.state(tail, seal)
        runs = found.sorted { ($0.segment, $0.start) < ($1.segment, $1.start) }
        if let state, numbers(of: state, ringCount) == nil {
            self.state = nil
            (wholeCopies, damagedCopies) = (0, wholeCopies + damagedCopies)
        }
    }

    /// Slots that hold records of segments that count.
    package var usedSlots: Int {
        guard let state else { return runs.count }
        return runs.count { $0.segment >= state.oldest && $0.segment <= state.newest }
    }

    /// Whether a removal is missing: the log must not be believed. `nil` if nobody can tell.
    package var isUnsafe: Bool? { state?.isUnsafe }

    /// The last record of the publisher's log that was obeyed; `nil` if nobody can tell, or none
    /// was.
    package var obeyed: LogPosition? {
        guard let position = state?.obeyed.position, position.epoch != LogPosition.none.epoch
        else { return nil }
        return position
    }

    /// Segments of the log; `nil` if nobody can tell.
    func numbers(ringCount: Int) -> Range<UInt64>? {
        state.flatMap { numbers(of: $0, ringCount) }
    }

    /// `nil` for a state that names segments that cannot be.
    private func numbers(of state: TailState, _ ringCount: Int) -> Range<UInt64>? {
        let oldest = state.oldest.rawValue
        let (end, overflows) = state.newest.rawValue.addingReportingOverflow(1)
        guard oldest > 0, !overflows, oldest <= end, end - oldest <= UInt64(ringCount) else {
            return nil
        }
        return oldest..<end
    }
}
