package import CacheModel

/// The tail's description of the log.
package struct TailFacts: Sendable {
    package static let slotCount = Tail.slotCount
    package static let copyCount = TailState.copyOffsets.count

    /// Copies of the state with a valid checksum; and written ones without.
    package private(set) var wholeCopies = 0
    package private(set) var damagedCopies = 0
    package let damagedSlots: Int
    /// The newest state; `nil` if no copy is valid.
    let state: TailState?
    /// The runs in the slots, in log order.
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

    /// Slots that hold records of segments in the log.
    package var usedSlots: Int {
        guard let state else { return runs.count }
        return runs.count { $0.segment >= state.oldest && $0.segment <= state.newest }
    }

    /// Whether a removal is missing, which makes the log void. `nil` if unknown.
    package var isUnsafe: Bool? { state?.isUnsafe }

    /// The last applied record of the publisher's log; `nil` if unknown or none.
    package var applied: LogPosition? {
        guard let position = state?.applied.position, position.epoch != LogPosition.none.epoch
        else { return nil }
        return position
    }

    /// Segments of the log; `nil` if unknown.
    var numbers: Range<UInt64>? {
        state.map { $0.oldest.rawValue..<$0.newest.next.rawValue }
    }
}
