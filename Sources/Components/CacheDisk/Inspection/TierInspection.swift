/// Looks through a tier's file that is not open, or somebody else's, and changes nothing.
///
/// ### Who calls it
/// One thread that has the file open for reading: ``next(into:)`` says which bytes are wanted,
/// ``take(_:)`` hands them in, until ``Need/end``. ``facts`` then has everything.
///
///     checkpoints ─▶ recovery, by a DiskTier ─▶ headers ─▶ segment by segment: footer, records
///                    whose writes are kept beside                 │
///                                  └── its index tells what is live
///
/// What a node would make of the log is what the node's own code makes of it here: no rule is
/// written twice. So the memory it takes is a node's too, about nine bytes an entry, beside one
/// segment and the tail.
///
/// ### What it never does
/// It asks for no write. It never trusts a number of the file before it is inside its bounds.
package struct TierInspection: ~Copyable {
    package enum Need: Equatable {
        /// These bytes of the file, by ``take(_:)``.
        case read(Range<Int>)
        /// To be called again: it was a slice of what takes long.
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
    /// A copy of the file's. The recovery writes to it.
    private let memory: UnsafeMutableRawBufferPointer
    var tier: DiskTier
    var commands: [DiskCommand] = []
    /// The next of them.
    var cursor = 0
    var news: [DiskNews] = []
    var overlay: InspectionOverlay
    var phase = Phase.checkpoint(0)
    /// What the bytes that are wanted now are for.
    var ticket: DiskTicket?
    /// Where in the file they lie.
    var readOffset = 0
    var headers: [SegmentHeader?]
    /// By place in the ring: something lies there that is no header.
    var isHeaderDamaged: [Bool]
    /// Places that are marked as withdrawn.
    var marked: [Int] = []
    var look = SegmentLook(index: 0, number: .none, isActive: true)
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

    /// How much of the log has been looked through, from 0 to 1.
    package var progress: Double {
        switch phase {
        case .checkpoint, .recovery, .header: 0
        case .segments: Double(look.index) / Double(max(1, facts.segments.count))
        case .over: 1
        }
    }

    /// Does a slice.
    ///
    /// - Parameter records: those that were looked at are appended, if the plan lists them.
    package mutating func next(into records: inout [InspectedRecord]) -> Need {
        switch phase {
        case .checkpoint(let number):
            let from = geometry.checkpointOffset(number)
            return .read(from..<from + geometry.checkpointBytes)
        case .recovery: return recoveryStep()
        case .header(let ring):
            let from = geometry.segmentsOffset + ring * geometry.segmentBytes
            return .read(from..<from + SegmentHeader.bytes + WithdrawalMark.bytes)
        case .segments: return segmentStep(into: &records)
        case .over: return .end
        }
    }

    /// The bytes that ``next(into:)`` asked for; `nil` if they cannot be read.
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
