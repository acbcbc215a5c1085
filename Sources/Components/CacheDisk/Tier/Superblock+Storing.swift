import ByteCoding
import CacheModel

extension Superblock {
    package enum Damage: Equatable, Sendable {
        case empty
        /// Another release wrote it, in the format of this character.
        case otherFormat(UInt8)
        case damaged
    }

    /// 256 bytes. docs/disk-format.md specifies them.
    package var encoded: [UInt8] {
        var writer = ByteWriter(capacityBytes: Self.bytes)
        writer.append(Self.magic | UInt64(Self.format) << 56)
        writer.append(UInt32(0))
        writer.append(UInt32(geometry.checkpointBytes))
        writer.append(UInt32(geometry.tailBytes))
        writer.append(UInt32(geometry.segmentBytes))
        writer.append(UInt32(geometry.segmentCount))
        writer.append(shard)
        writer.append(shardCount)
        writer.append(tier)
        writer.append(machine.boot.high)
        writer.append(machine.boot.low)
        writer.append(clockBase)
        writer.append(closed?.milliseconds ?? 0)
        writer.append(machine.calendar)
        writer.append(machine.file)
        writer.append(machine.birth)
        writer.append(incarnation)
        let name = Array(node.description.utf8)
        writer.append(UInt8(name.count))
        writer.append(name)
        while writer.count < Self.bytes { writer.append(UInt8(0)) }
        writer.patch(
            CRC32C.checksum(UnsafeRawBufferPointer(rebasing: writer.bytes[12...])), at: 8)
        return writer.array
    }

    /// - Parameter bytes: the start of the file; fewer than 256 are an empty one.
    package static func decoding(_ bytes: [UInt8]) -> Result<Superblock, Damage> {
        bytes.withUnsafeBytes { bytes in
            guard bytes.count >= Self.bytes else { return .failure(.empty) }
            let bytes = UnsafeRawBufferPointer(rebasing: bytes[0..<Self.bytes])
            let magic: UInt64 = StoredInteger.read(bytes, at: 0)
            if magic == 0, bytes.allSatisfy({ $0 == 0 }) { return .failure(.empty) }
            guard magic & (1 << 56 - 1) == Self.magic else { return .failure(.damaged) }
            let format = UInt8(magic >> 56)
            guard format == Self.format || format == Self.formerFormat else {
                return .failure(.otherFormat(format))
            }
            let sum = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[12...]))
            guard StoredInteger.read(bytes, at: 8, as: UInt32.self) == sum,
                var block = proven(bytes)
            else {
                return .failure(.damaged)
            }
            block.foundFormat = format
            return .success(block)
        }
    }

    private static func proven(_ bytes: UnsafeRawBufferPointer) -> Superblock? {
        do throws(CodingDamage) {
            var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[12...]))
            let sizes = (
                try reader.integer(UInt32.self), try reader.integer(UInt32.self),
                try reader.integer(UInt32.self), try reader.integer(UInt32.self)
            )
            let geometry = DiskGeometry(
                checkpointBytes: Int(sizes.0), tailBytes: Int(sizes.1),
                segmentBytes: Int(sizes.2), segmentCount: Int(sizes.3))
            let (shard, shardCount) = (
                try reader.integer(UInt16.self), try reader.integer(UInt16.self)
            )
            let tier = try reader.integer(UInt64.self)
            let boot = BootID(
                high: try reader.integer(UInt64.self), low: try reader.integer(UInt64.self))
            let base = try reader.integer(Int64.self)
            let closed = try reader.integer(UInt64.self)
            let machine = TierMachineFacts(
                boot: boot, calendar: try reader.integer(UInt64.self),
                file: try reader.integer(UInt64.self), birth: try reader.integer(UInt64.self))
            let incarnation = try reader.integer(UInt64.self)
            let name = String(decoding: try reader.counted(), as: UTF8.self)
            guard let geometry, let node = NodeID(name), closed < 1 << 48, shard < shardCount
            else { return nil }
            let owner = TierOwner(
                node: node, shard: shard, of: shardCount, machine: machine, geometry: geometry)
            var block = Superblock(for: owner, tier: tier, incarnation: incarnation)
            block.clockBase = base
            block.closed = closed == 0 ? nil : TierTime(milliseconds: closed)
            return block
        } catch {
            return nil
        }
    }
}

extension Superblock.Damage: Error {}

extension SequenceNumber {
    /// `nil` for a number that no record of the publisher's log has, or that none could follow.
    init?(stored: UInt64) {
        guard stored < SequenceNumber.max.rawValue else { return nil }
        self.init(stored)
    }
}
