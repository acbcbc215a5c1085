package import CacheModel

/// What a tier tells the mind that asked it.
package enum DiskNews {
    /// The record that was being read.
    case found(DiskTicket, FoundRecord)
    /// There is none any more.
    case notFound(DiskTicket, NotFoundCause)
    /// The index is what it was; see ``RecoveredTier``.
    case recovered(RecoveredTier)
    /// What lies there must not be believed: begin anew.
    case unusable(UnusableCause)
    /// The tier has given up; entries in memory are as they were.
    case failed(DiskFailure)
    case checkpointed(LogMark)
    /// Everything is written and synchronized.
    case closed
}

package enum NotFoundCause: Equatable, Sendable {
    /// What was read proves nothing.
    case damaged
    /// It was removed or replaced while it was read.
    case changed
    case failed(DiskFailure)
}

/// Why a tier that lies there is of no use. In words for people: docs/operations.md.
package enum UnusableCause: Equatable, Sendable {
    case tailDamaged
    /// A removal may be missing: the disk was too slow for them when the process died.
    case removalsMissing
    case noCheckpoint
    case failed(DiskFailure)
}

/// What a recovery has found.
package struct RecoveredTier {
    package var checkpoint: Checkpoint
    /// Removals of keys up to here are in the log of records.
    package var removals: (epoch: Epoch, sequence: SequenceNumber)
    package var entryCount: Int
    package var segmentCount: Int
    /// Segments of which not everything proved itself; the last of them and what lay before it is
    /// gone.
    package var damageCount: Int
}

/// A record that was read.
package struct FoundRecord {
    let bytes: [UInt8]
    let segment: SegmentNumber
    let offset: Int
    let seal: RecordSeal
    package let fingerprint: Fingerprint

    var isWhole: Bool { withEntry { _ in true } == true }

    /// Lends the entry that lies in it. It was proven when it was read.
    package func withEntry<Result>(_ body: (DiskEntry) -> Result) -> Result? {
        bytes.withUnsafeBytes { bytes in
            let reading = RecordReading(seal: seal, segment: segment)
            guard case .entry(let entry, _)? = reading.record(bytes, at: offset) else {
                return nil
            }
            return body(entry)
        }
    }
}
