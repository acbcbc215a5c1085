import ByteCoding
package import CacheModel

/// The first page of a tier's file: whose it is, how it is divided, and how it ended.
package struct Superblock: Equatable, Sendable {
    package static let bytes = 256
    /// "MARTDSK": the character behind it is the number of the format.
    static let magic: UInt64 = 0x004B_5344_5452_414D
    package static let format = UInt8(ascii: "4")
    /// The one before has no representations. It is read, and is of this format from then on.
    static let formerFormat = UInt8(ascii: "3")

    package var geometry: DiskGeometry
    package var shard: UInt16
    package var shardCount: UInt16
    /// Drawn when it was made; in every checksum, and the seed of fingerprints.
    package var tier: UInt64
    package var machine: MachineFacts
    /// The tier's time less the boot's clock.
    package var clockBase: Int64 = 0
    /// The tier's time when it was ended in order; `nil` while it is open, or if it was not.
    package var closed: TierTime?
    /// Of the process that has it open, or had it last.
    package var incarnation: UInt64
    package var node: NodeID
    /// In which it was found.
    package var foundFormat = Superblock.format

    /// Of a tier that is made now.
    package init(for owner: TierOwner, tier: UInt64, incarnation: UInt64) {
        geometry = owner.geometry
        shard = owner.shard
        shardCount = owner.shardCount
        node = owner.node
        machine = owner.machine
        self.tier = tier
        self.incarnation = incarnation
    }

    /// Of the life that begins now.
    package func opened(
        by incarnation: UInt64, on machine: MachineFacts, _ clock: TierClock
    ) -> Superblock {
        var opened = self
        opened.incarnation = incarnation
        opened.machine = machine
        opened.clockBase = clock.base
        opened.closed = nil
        opened.foundFormat = Self.format
        return opened
    }

    /// For people: its character, or its number where that cannot be seen.
    static func name(ofFormat format: UInt8) -> String {
        (0x21..<0x7F).contains(format) ? String(UnicodeScalar(format)) : "\(format)"
    }

    package var seal: RecordSeal { RecordSeal(tier: tier) }
}
