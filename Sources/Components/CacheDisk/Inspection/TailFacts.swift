package import CacheModel

/// What the tail says of the log.
package struct TailFacts: Sendable {
    package static let slotCount = Tail.slotCount
    package static let copyCount = TailState.copyOffsets.count

    /// Copies of the state that prove themselves; and that were written and do not.
    package private(set) var wholeCopies = 0
    package private(set) var damagedCopies = 0
    package let damagedSlots: Int
    /// The newest state; `nil` if none proves itself.
    let state: TailState?
    /// In the slots, in the order of the log.
    let runs: [Tail.Run]

    init(_ tail: UnsafeRawBufferPointer, _ seal: RecordSeal, _ geometry: DiskGeometry) {
        for offset in TailState.copyOffsets {
            let copy = UnsafeRawBufferPointer(rebasing: tail[offset..<offset + TailState.bytes])
            if TailState(copy, seal, geometry) != nil {
                wholeCopies += 1
            } else if !copy.allSatisfy({ $0 == 0 }) {
                damagedCopies += 1
            }
        }
        state = Tail.state(tail, seal, geometry)
        let slots = Tail.runs(tail, seal, geometry)
        damagedSlots = slots.damagedCount
        runs = slots.found.filter { $0.end > $0.start }
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
    var numbers: Range<UInt64>? {
        state.map { $0.oldest.rawValue..<$0.newest.next.rawValue }
    }
}
