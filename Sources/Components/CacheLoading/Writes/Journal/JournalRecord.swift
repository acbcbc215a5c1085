package import CacheModel

/// A record of the write queue's journal.
package enum JournalRecord: Equatable, Sendable {
    /// A write was queued.
    ///
    /// - Parameter at: wall time of the request, in milliseconds since 1970.
    case write(WriteNumber, OriginWrite, at: UInt64)
    /// The write is over: the origin has it, or an operator has dropped it.
    case done(WriteNumber)
    /// The origin refused it.
    case rejected(WriteNumber, WriteRejection)
    /// The external request that a write belongs to. After its write, which is complete without it.
    case trace(WriteNumber, TraceContext)

    /// All records of a write that was queued.
    static func queued(
        _ number: WriteNumber, _ write: OriginWrite, at wall: UInt64
    ) -> [JournalRecord] {
        [.write(number, write, at: wall)] + (write.trace.map { [.trace(number, $0)] } ?? [])
    }

    /// Whether it has a representation, which not every file format supports.
    package var isDescribed: Bool {
        guard case .write(_, let write, _) = self else { return false }
        return write.value != nil && !write.representation.isEmpty
    }

    /// Its size in the file.
    package var bytes: Int {
        switch self {
        case .write(_, let write, _):
            JournalFormat.recordHeaderBytes + 36 + write.namespace.name.utf8.count
                + write.key.bytes.count + (write.value?.count ?? 0)
                + (isDescribed ? write.representation.stored.count : 0)
        case .done: JournalFormat.recordHeaderBytes + 8
        case .rejected(_, let rejection):
            JournalFormat.recordHeaderBytes + 12 + rejection.words.count
        case .trace(_, let trace):
            JournalFormat.recordHeaderBytes + 16 + JournalFormat.traceBytes
                + trace.state.utf8.count
        }
    }
}
