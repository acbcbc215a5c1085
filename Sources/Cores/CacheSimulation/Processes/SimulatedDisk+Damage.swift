import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire

/// Faults of a disk: the crash of its publisher, and damage while it is down.
extension SimulatedDisk {
    /// Damage to a log that no publisher was writing.
    enum Damage: CaseIterable {
        /// Synchronized bytes at the end are lost.
        case cut
        /// A bit flips.
        case flip
        /// The whole disk returns to an earlier state.
        case restore
        /// A segment, the stamp, the floors, or everything is removed.
        case removal
    }

    /// The writer dies in the middle of its work.
    ///
    /// - Parameter losesPower: whether bytes that were not synchronized may be lost.
    func crash(losesPower: Bool, _ dice: inout Dice) {
        if let job = jobs.first, dice.chance(perMille: 300) {
            tear(job.batch, &dice)
        }
        guard losesPower else { return }
        for (name, file) in contents.segments.sorted(by: { $0.key < $1.key })
        where file.durableCount < file.bytes.count {
            let kept = dice.number(in: file.durableCount...file.bytes.count)
            var bytes = Array(file.bytes.prefix(kept))
            // Blocks reach the disk in any order: blocks after a hole may be there.
            if dice.chance(perMille: 300) {
                let hole = dice.number(in: file.durableCount...file.bytes.count)
                bytes = file.bytes
                for offset in file.durableCount..<hole { bytes[offset] = 0 }
            }
            contents.segments[name] = File(bytes: bytes, durableCount: file.durableCount)
        }
    }

    /// Writes only the beginning of a batch.
    private func tear(_ batch: [SealedRecord], _ dice: inout Dice) {
        guard let name = contents.segments.keys.max() else { return }
        let writer = frames(of: batch)
        contents.segments[name]?.bytes += writer.array.prefix(dice.below(writer.count))
    }

    /// Damages it; `nil` if there was nothing to damage.
    func damage(_ copies: [Contents], _ dice: inout Dice) -> Damage? {
        guard let last = contents.segments.keys.max() else { return nil }
        let damage = dice.pick(Damage.allCases)
        switch damage {
        case .cut:
            let count = contents.segments[last]?.bytes.count ?? 0
            let kept = max(SegmentHeader.bytes, count - dice.number(in: 1...800))
            contents.segments[last]?.bytes.removeLast(count - min(kept, count))
            contents.segments[last]?.durableCount = min(kept, count)
        case .flip:
            let name = dice.pick(contents.segments.keys.sorted())
            let count = contents.segments[name]?.bytes.count ?? 0
            let offset = dice.below(max(1, count))
            contents.segments[name]?.bytes[offset] ^= 1 << UInt8(dice.below(8))
        case .restore:
            guard !copies.isEmpty else { return nil }
            restore(dice.pick(copies))
        case .removal:
            switch dice.below(4) {
            case 0: contents.segments[dice.pick(contents.segments.keys.sorted())] = nil
            case 1: contents.stamp = nil
            case 2: contents.floors = nil
            default: contents = Contents()
            }
        }
        return damage
    }
}
