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
    /// No segment is given back: the file system does not take its room. The tier works on.
    case spaceKept(DiskFailure)
    /// Everything is written and synchronized.
    case closed
}

package enum NotFoundCause: Equatable, Sendable {
    /// What was read proves nothing.
    case damaged
    /// It was removed or replaced while it was read.
    case changed
    /// Parts of its value have been reclaimed.
    case reclaimed
    case failed(DiskFailure)
}

/// Why a tier that lies there is of no use.
package enum UnusableCause: Equatable, Sendable {
    case tailDamaged
    /// A removal may be missing: the disk was too slow for them when the process died.
    case removalsMissing
    case noCheckpoint
    /// It could not be read or written; a process may have given it up for that.
    case failed(DiskFailure)
}

/// What a recovery has found.
package struct RecoveredTier {
    package var checkpoint: Checkpoint
    /// The last record of the publisher's log that was obeyed here. Removals of keys up to it are
    /// in the log of records; other floors only up to the checkpoint.
    package var obeyed: LogMark
    package var entryCount: Int
    package var segmentCount: Int
    /// Segments of which not everything proved itself; the last of them and what lay before it is
    /// gone.
    package var damageCount: Int
}

/// A record that was read, and was proven to be an entry.
package struct FoundRecord {
    /// Begin with it.
    let bytes: [UInt8]
    /// Of one whose value is not in the record.
    var value: [UInt8]?
    package let fingerprint: Fingerprint

    package var byteCount: Int { bytes.count + (value?.count ?? 0) }

    init(bytes: [UInt8], value: [UInt8]? = nil, fingerprint: Fingerprint) {
        self.bytes = bytes
        self.value = value
        self.fingerprint = fingerprint
    }

    /// Lends the entry that lies in it.
    package func withEntry<Result>(_ body: (DiskEntry) -> Result) -> Result? {
        bytes.withUnsafeBytes { bytes in
            guard var entry = RecordReading.entry(bytes) else { return nil }
            guard let value else { return body(entry) }
            return value.withUnsafeBytes { value in
                entry.value = value
                return body(entry)
            }
        }
    }
}
