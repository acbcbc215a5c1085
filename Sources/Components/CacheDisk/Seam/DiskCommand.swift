/// What a tier asks of whoever holds its file.
///
/// Commands are begun in the order given. All but reads are done in that order too; reads may
/// overtake each other and the others, and are only asked for where nothing is being written. Each
/// is answered by one ``DiskCompletion``, whatever happens.
package enum DiskCommand: Sendable {
    /// Writes to the file from `offset` on.
    case write(DiskTicket, DiskBytes, at: Int)
    /// Reads so many bytes of the file, from `offset` on.
    case read(DiskTicket, byteCount: Int, at: Int)
    /// Makes everything written before survive losing power. The tail's mapping too.
    case synchronize(DiskTicket)
    /// Gives so many bytes of the file back to the file system, from `offset` on: they read as
    /// zeros then, and the file stays as long as it is. In the order of writes.
    case release(DiskTicket, byteCount: Int, at: Int)
    /// Has the file system reserve these bytes again. In the order of writes.
    case reserve(DiskTicket, byteCount: Int, at: Int)

    package var ticket: DiskTicket {
        switch self {
        case .write(let ticket, _, _), .read(let ticket, _, _), .synchronize(let ticket),
            .release(let ticket, _, _), .reserve(let ticket, _, _):
            ticket
        }
    }
}

/// Bytes to be written: where they lie until the command is done.
package enum DiskBytes: Sendable {
    /// In the tail, from its beginning on. They do not change before the completion.
    case tail(Range<Int>)
    case owned([UInt8])

    package var count: Int {
        switch self {
        case .tail(let range): range.count
        case .owned(let bytes): bytes.count
        }
    }
}
