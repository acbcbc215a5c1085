import CacheModel

/// The purpose of a command.
enum Errand {
    case slot
    case write
    /// A segment and its footer survive losing power.
    case sealed(SegmentNumber)
    case checkpoint(LogMark)
    /// The superblock marks the tier as open, and survives losing power.
    case opening
    case read(ReadInFlight)
    /// A part of the value that the read with this ticket reassembles.
    case part(DiskTicket, Int)
    case reclaimFooter
    /// A piece of the segment being reclaimed, to re-append its records.
    case reclaimPiece(SegmentNumber, Range<Int>)
    /// The record of an entry with parts in this segment, which is reclaimed.
    case moveDivided(ReadInFlight, SegmentNumber)
    case recovery(RecoveryRead)
    /// Everything survives losing power: only now the superblock may mark it as closed.
    indirect case closing(Superblock)
    /// The superblock marks the tier as closed in order, and survives losing power.
    case closed
    /// A place releases its space.
    case releasing(Int)
    /// The same, possibly already started by an earlier process.
    case releasedAgain
    /// A place gets its space again.
    case reserving(Int)
    /// The mark of a place that has space is removed.
    case unmarking(Int)
}

struct ReadInFlight {
    var fingerprint: Fingerprint
    var address: RecordAddress
    var segment: SegmentNumber
    /// Bytes that count against the limit of reads.
    var byteCount = 0
}

/// Commands that are not completed, by ticket.
struct ErrandTable {
    private var errands: [DiskTicket: Errand] = [:]
    /// Those that are not handed over yet.
    var commands: [DiskCommand] = []
    private(set) var next = DiskTicket(1)

    subscript(_ ticket: DiskTicket) -> Errand? { errands[ticket] }

    /// A ticket without a command.
    mutating func draw() -> DiskTicket {
        defer { next = DiskTicket(next.rawValue + 1) }
        return next
    }

    mutating func add(_ errand: Errand) -> DiskTicket {
        let ticket = draw()
        errands[ticket] = errand
        return ticket
    }

    mutating func complete(_ ticket: DiskTicket) -> Errand {
        guard let errand = errands.removeValue(forKey: ticket) else {
            preconditionFailure("a command is completed once")
        }
        return errand
    }
}
