import ByteCoding
package import CacheModel

/// The first page of a tier's file: its owner, its layout, and how it was closed.
package struct Superblock: Equatable, Sendable {
    package static let bytes = 256
    /// "MARTDSK": the next character is the format number.
    static let magic: UInt64 = 0x004B_5344_5452_414D
    package static let format = UInt8(ascii: "4")
    /// The previous format has no representations. It is read, and upgraded to this one.
    static let formerFormat = UInt8(ascii: "3")

    package var geometry: DiskGeometry
    package var shard: UInt16
    package var shardCount: UInt16
    /// A random id drawn at creation; in every checksum, and the seed of fingerprints.
    package var tier: UInt64
    package var machine: TierMachineFacts
    /// The tier's time less the boot's clock.
    package var clockBase: Int64 = 0
    /// The tier's time when it was closed in order; `nil` while it is open, or if it was not.
    package var closed: TierTime?
    /// Incarnation of the process that has it open, or had it last.
    package var incarnation: UInt64
    package var node: NodeID
    /// The format in which it was found.
    package var foundFormat = Superblock.format

    /// For a new tier.
    package init(for owner: TierOwner, tier: UInt64, incarnation: UInt64) {
        geometry = owner.geometry
        shard = owner.shard
        shardCount = owner.shardCount
        node = owner.node
        machine = owner.machine
        self.tier = tier
        self.incarnation = incarnation
    }

    /// For the run that starts now.
    package func opened(
        by incarnation: UInt64, on machine: TierMachineFacts, _ clock: TierClock
    ) -> Superblock {
        var opened = self
        opened.incarnation = incarnation
        opened.machine = machine
        opened.clockBase = clock.base
        opened.closed = nil
        opened.foundFormat = Self.format
        return opened
    }

    /// For people: its character, or its number if that is not printable.
    static func name(ofFormat format: UInt8) -> String {
        (0x21..<0x7F).contains(format) ? String(UnicodeScalar(format)) : "\(format)"
    }

    package var seal: RecordSeal { RecordSeal(tier: tier) }
}

/// Facts about the machine and a tier's file, when the tier is opened or closed.
package struct TierMachineFacts: Equatable, Sendable {
    package var boot: BootID
    /// Milliseconds since 1970.
    package var calendar: UInt64
    /// The file's inode number, and its creation time in nanoseconds since 1970; 0 unknown. A copy
    /// has other values.
    package var file: UInt64
    package var birth: UInt64

    package init(boot: BootID, calendar: UInt64, file: UInt64, birth: UInt64) {
        self.boot = boot
        self.calendar = calendar
        self.file = file
        self.birth = birth
    }
}
