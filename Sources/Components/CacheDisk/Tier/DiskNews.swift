package import CacheModel

/// An event that a tier reports to its core.
package enum DiskNews {
    /// The record of a read.
    case found(DiskTicket, FoundRecord)
    /// It does not exist any more.
    case notFound(DiskTicket, NotFoundCause)
    /// The index is restored; see ``RecoveredTier``.
    case recovered(RecoveredTier)
    /// The existing log is not valid: start a new one.
    case unusable(UnusableCause)
    /// The tier has given up; entries in memory are not affected.
    case failed(DiskFailure)
    case checkpointed(LogMark)
    /// No segment is released: the file system does not take its space. The tier works on.
    case spaceKept(DiskFailure)
    /// Everything is written and synchronized.
    case closed
}

package enum NotFoundCause: Equatable, Sendable {
    /// The record read is damaged.
    case damaged
    /// It was removed or replaced during the read.
    case changed
    /// Parts of its value have been reclaimed.
    case reclaimed
    case failed(DiskFailure)
}

/// Why an existing tier is unusable.
package enum UnusableCause: Equatable, Sendable {
    case tailDamaged
    /// A removal may be missing: some were still pending when the process died.
    case removalsMissing
    case noCheckpoint
    /// It could not be read or written; a process may have given it up because of that.
    case failed(DiskFailure)
}

/// The result of a recovery.
package struct RecoveredTier {
    package var checkpoint: Checkpoint
    /// The last applied record of the publisher's log. Removals of keys up to it are in the log of
    /// records; other floors only up to the checkpoint.
    package var applied: LogMark
    package var entryCount: Int
    package var segmentCount: Int
    /// Segments with damage; the last of them and everything before it is lost.
    package var damageCount: Int
}

/// A record that was read and verified to be an entry.
package struct FoundRecord {
    /// Starts with the record.
    let bytes: [UInt8]
    /// Set if the value is not in the record.
    var value: [UInt8]?
    package let fingerprint: Fingerprint

    package var byteCount: Int { bytes.count + (value?.count ?? 0) }

    init(bytes: [UInt8], value: [UInt8]? = nil, fingerprint: Fingerprint) {
        self.bytes = bytes
        self.value = value
        self.fingerprint = fingerprint
    }

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
