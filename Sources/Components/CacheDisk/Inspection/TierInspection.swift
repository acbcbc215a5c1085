/// Inspects a tier's file that is not open, or another process's, without changing it.
///
/// ### Use
/// One thread with the file open for reading: ``next()`` returns the wanted bytes,
/// ``take(_:)`` receives them, until ``Need/end``. ``facts`` is then complete.
///
///     checkpoints ─▶ recovery, by a DiskTier ─▶ headers ─▶ segment by segment: footer, records
///                    with writes to an overlay                    │
///                                  └── its index determines live records
///
/// The node's own code interprets the log, so no rule is written twice. So it needs a node's
/// memory: about nine bytes per entry, and one segment and the tail.
///
/// ### Guarantees
/// It never writes. It checks the bounds of every number in the file before use.
package struct TierInspection: ~Copyable {
    package enum Need: Equatable {
        /// Pass these bytes of the file to ``take(_:)``.
        case read(Range<Int>)
        /// Call again: a slice of long work is done.
        case turn
        case end
    }

    enum Phase {
        case checkpoint(Int)
        case recovery
        case header(ring: Int)
        case segments
        case over
    }

    let geometry: DiskGeometry
    let plan: InspectionPlan
    /// A copy of the file's tail. The recovery writes to it.
    private let memory: UnsafeMutableRawBufferPointer
    var tier: DiskTier
    /// The next segment.
    var cursor = 0
    var overlay: InspectionOverlay
    var phase = Phase.checkpoint(0)
    /// The ticket of the read in progress.
    var ticket: DiskTicket?
    /// Its offset in the file.
    var readOffset = 0
    var headers: [DiskSegmentHeader?]
    /// By place in the ring: whether it holds bytes that are not a header.
    var isHeaderDamaged: [Bool]
    /// Places marked as withdrawn.
    var marked: [Int] = []
    var look = SegmentInspection(index: 0, number: .none, isActive: true)
    /// Those inspected, if the plan lists them; the caller removes them.
    package var records: [InspectedRecord] = []
    package internal(set) var facts: TierFacts

    /// - Parameter tail: the bytes of ``InspectionPlan/tailRange``.
    package init(_ plan: InspectionPlan, tail: [UInt8]) {
        let geometry = plan.superblock.geometry
        precondition(tail.count == geometry.tailBytes, "the tail is as long as the plan says")
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: tail.count, alignment: 64)
        memory.copyBytes(from: tail)
        var superblock = plan.superblock
        superblock.closed = nil
        self.plan = plan
        self.geometry = geometry
        self.memory = memory
        tier = DiskTier(superblock, tail: memory)
        overlay = InspectionOverlay(geometry)
        headers = Array(repeating: nil, count: geometry.segmentCount)
        isHeaderDamaged = Array(repeating: false, count: geometry.segmentCount)
        facts = TierFacts(
            plan: plan,
            tail: TailFacts(
                UnsafeRawBufferPointer(memory), superblock.seal, geometry))
    }

    deinit { memory.deallocate() }

    /// The inspected share of the log, from 0 to 1.
    package var progress: Double {
        switch phase {
        case .checkpoint, .recovery, .header: 0
        case .segments: Double(look.index) / Double(max(1, facts.segments.count))
        case .over: 1
        }
    }

    /// Does one slice.
    package mutating func next() -> Need {
        switch phase {
        case .checkpoint(let number):
            let from = geometry.checkpointOffset(number)
            return .read(from..<from + geometry.checkpointBytes)
        case .recovery: return recoveryStep()
        case .header(let ring):
            let from = geometry.segmentsOffset + ring * geometry.segmentBytes
            return .read(from..<from + DiskSegmentHeader.bytes + WithdrawalMark.bytes)
        case .segments: return segmentStep()
        case .over: return .end
        }
    }

    /// Receives the bytes that ``next()`` requested; `nil` if they cannot be read.
    package mutating func take(_ bytes: [UInt8]?) {
        switch phase {
        case .checkpoint(let number):
            facts.checkpoints.append(CheckpointFacts(bytes, plan.superblock.seal))
            guard number == 1 else { return phase = .checkpoint(1) }
            beginRecovery()
        case .recovery: finishRecoveryRead(bytes)
        case .header(let ring): takeHeader(bytes, ring)
        case .segments: takeSegment(bytes)
        case .over: preconditionFailure("nothing was asked for")
        }
    }
}

/// The writes of a recovery to segments, kept in memory instead of the file, and applied to reads.
///
/// Only the tail's runs are kept, so it is no larger than the tail.
struct InspectionOverlay {
    private let geometry: DiskGeometry
    private var pieces: [(from: Int, bytes: [UInt8])] = []

    init(_ geometry: DiskGeometry) { self.geometry = geometry }

    /// - Parameter offset: in the file.
    mutating func write(_ bytes: [UInt8], at offset: Int) {
        let place = offset - geometry.segmentsOffset
        // A recovery does not read a footer that it rewrites, and there may be many.
        let isFooter = (place + bytes.count) % geometry.segmentBytes == 0
        if place >= 0, !isFooter { pieces.append((offset, bytes)) }
    }

    /// The bytes of the file from `offset` on, with the writes applied.
    func applied(to bytes: [UInt8], at offset: Int) -> [UInt8] {
        var bytes = bytes
        for piece in pieces {
            let from = max(piece.from, offset)
            let to = min(piece.from + piece.bytes.count, offset + bytes.count)
            guard from < to else { continue }
            bytes.replaceSubrange(
                from - offset..<to - offset,
                with: piece.bytes[from - piece.from..<to - piece.from])
        }
        return bytes
    }
}
