import CacheModel

/// The digests of the last records that a shard has applied: they show whether a mark is of its
/// log.
///
/// Bounded: ``recordsMax`` digests, 32 KiB. All of one epoch.
struct RecentMarks {
    static let recordsMax = 4_096

    private var epoch = LogMark.none.position.epoch
    /// Its first sequence number; digests are indexed by their distance from it.
    private var origin: UInt64 = 0
    /// The last known sequence number.
    private var last: UInt64 = 0
    /// Grows to ``recordsMax``, then the oldest is overwritten.
    private var digests: [LogDigest] = [LogMark.none.digest]

    /// Restarts at a mark; nothing before it is known.
    mutating func restart(at mark: LogMark) {
        epoch = mark.position.epoch
        origin = mark.position.sequence.rawValue
        last = origin
        digests.removeAll(keepingCapacity: true)
        digests.append(mark.digest)
    }

    /// A record was applied.
    mutating func note(_ mark: LogMark) {
        let sequence = mark.position.sequence.rawValue
        guard mark.position.epoch == epoch, sequence == last + 1 else { return restart(at: mark) }
        last = sequence
        if digests.count < Self.recordsMax {
            digests.append(mark.digest)
        } else {
            digests[slot(of: sequence)] = mark.digest
        }
    }

    /// Whether the log that is followed has this mark; `false` if it is too long ago to determine.
    func contains(_ mark: LogMark) -> Bool {
        let sequence = mark.position.sequence.rawValue
        guard mark.position.epoch == epoch, sequence <= last,
            last - sequence < UInt64(digests.count)
        else { return false }
        return digests[slot(of: sequence)] == mark.digest
    }

    private func slot(of sequence: UInt64) -> Int {
        Int((sequence - origin) % UInt64(Self.recordsMax))
    }
}
