package import CacheModel

/// The layout according to a tier file's first page, and the extent of the inspection.
package struct InspectionPlan: Sendable {
    package let superblock: Superblock
    package let fileBytes: Int
    /// Why this machine's node would not continue the tier, whatever its log says; `nil` if it
    /// would.
    package let cause: AnewCause?
    /// The tier's time now; `nil` if the time that the machine was off is unknown.
    package let now: TierTime?
    /// Read every record and verify its checksum; else only what a node reads at start.
    package var verifies = true
    /// Report every record.
    package var lists = false

    /// - Parameters:
    ///   - head: the first ``DiskLimits/pageBytes`` of the file, or all of a shorter one.
    ///   - machine: facts about this machine and that file.
    ///   - now: on the boot's clock.
    package init(
        head: [UInt8], fileBytes: Int, machine: TierMachineFacts, now: Instant
    ) throws(InspectionFailure) {
        let superblock: Superblock
        switch Superblock.decoding(head) {
        case .success(let found): superblock = found
        case .failure(.otherFormat(let format)): throw .otherFormat(format)
        case .failure(.damaged): throw Superblock.isBegun(head) ? .damagedHead : .noTier
        case .failure(.empty):
            if Superblock.isBegun(head) { throw .damagedHead }
            throw head.allSatisfy { $0 == 0 } ? .empty : .noTier
        }
        guard fileBytes == superblock.geometry.fileBytes else {
            throw .wrongSize(
                foundBytes: fileBytes, expectedBytes: superblock.geometry.fileBytes)
        }
        self.superblock = superblock
        self.fileBytes = fileBytes
        cause = Self.cause(head, superblock, machine)
        let isTold = superblock.machine.boot == machine.boot || superblock.closed != nil
        let clock = TierClock(
            continuing: superblock, boot: machine.boot, now: now, calendar: machine.calendar)
        self.now = isTold ? clock.time(at: now) : nil
    }

    /// The judgement of a node with this name, shard and size.
    private static func cause(
        _ head: [UInt8], _ superblock: Superblock, _ machine: TierMachineFacts
    ) -> AnewCause? {
        let owner = TierOwner(
            node: superblock.node, shard: superblock.shard, of: superblock.shardCount,
            machine: machine, geometry: superblock.geometry)
        if case .anew(let cause) = DiskOpening.judge(head, for: owner) { return cause }
        return nil
    }

    /// The range of the tail, which an inspection reads first.
    package var tailRange: Range<Int> {
        let from = superblock.geometry.tailOffset
        return from..<from + superblock.geometry.tailBytes
    }
}

extension Superblock {
    /// Whether these bytes start like a tier's file, of any format.
    static func isBegun(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 8
            && bytes.withUnsafeBytes {
                StoredInteger.read($0, at: 0) & (1 << 56 - 1) == Superblock.magic
            }
    }
}
