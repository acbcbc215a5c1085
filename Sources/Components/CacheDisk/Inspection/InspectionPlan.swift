package import CacheModel

/// What the first page of a tier's file says of the rest, and how much of that is to be looked at.
package struct InspectionPlan: Sendable {
    package let superblock: Superblock
    package let fileBytes: Int
    /// Why this machine's node would not go on with the tier, whatever its log says; `nil` if it
    /// would.
    package let cause: AnewCause?
    /// The tier's time now; `nil` if nobody knows how long the machine was off.
    package let now: TierTime?
    /// Read every record and prove it; else only what a node reads at its start.
    package var verifies = true
    /// Hand out every record.
    package var lists = false

    /// - Parameters:
    ///   - head: the first ``DiskLimits/pageBytes`` of the file, or all of a shorter one.
    ///   - machine: what this machine says of itself and of that file.
    ///   - now: on the boot's clock.
    package init(
        head: [UInt8], fileBytes: Int, machine: MachineFacts, now: Instant
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

    /// As a node judges that has this name, shard and size.
    private static func cause(
        _ head: [UInt8], _ superblock: Superblock, _ machine: MachineFacts
    ) -> AnewCause? {
        let owner = TierOwner(
            node: superblock.node, shard: superblock.shard, of: superblock.shardCount,
            machine: machine, geometry: superblock.geometry)
        if case .anew(let cause) = DiskOpening.judge(head, for: owner) { return cause }
        return nil
    }

    /// Where the tail lies, which an inspection begins with.
    package var tailRange: Range<Int> {
        let from = superblock.geometry.tailOffset
        return from..<from + superblock.geometry.tailBytes
    }
}

extension Superblock {
    /// Whether these bytes begin as a tier's file does, of whatever format.
    static func isBegun(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 8
            && bytes.withUnsafeBytes {
                StoredInteger.read($0, at: 0) & (1 << 56 - 1) == Superblock.magic
            }
    }
}
