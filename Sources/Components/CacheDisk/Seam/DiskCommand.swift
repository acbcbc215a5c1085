/// A command from a tier to the owner of its file.
///
/// Commands are started in the given order. All but reads are also executed in that order; reads
/// may overtake each other and the others, and are only requested where nothing is being written.
/// Each is always answered by one ``DiskCompletion``.
package enum DiskCommand: Sendable {
    /// Writes to the file from `offset` on.
    case write(DiskTicket, DiskBytes, at: Int)
    /// Reads so many bytes of the file, from `offset` on.
    case read(DiskTicket, byteCount: Int, at: Int)
    /// Makes all earlier writes, including the tail's mapping, survive a power loss.
    case synchronize(DiskTicket)
    /// Releases so many bytes of the file, from `offset` on, to the file system: they read as zeros
    /// then, and the file keeps its length. In the order of writes.
    case release(DiskTicket, byteCount: Int, at: Int)
    /// Reserves space for these bytes again. In the order of writes.
    case reserve(DiskTicket, byteCount: Int, at: Int)

    package var ticket: DiskTicket {
        switch self {
        case .write(let ticket, _, _), .read(let ticket, _, _), .synchronize(let ticket),
            .release(let ticket, _, _), .reserve(let ticket, _, _):
            ticket
        }
    }
}

/// Bytes to write: their location until the command is completed.
package enum DiskBytes: Sendable {
    /// Range of the tail. The bytes do not change before the completion.
    case tail(Range<Int>)
    case owned([UInt8])

    package var count: Int {
        switch self {
        case .tail(let range): range.count
        case .owned(let bytes): bytes.count
        }
    }
}
