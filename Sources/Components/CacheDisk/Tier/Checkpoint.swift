import ByteCoding
package import CacheModel

/// What a node must restore besides its entries: its position in the publisher's log, and the
/// floors up to there.
package struct Checkpoint: Equatable, Sendable {
    package static let headBytes = 64
    /// "MARTDCP1"
    private static let magic: UInt64 = 0x3150_4344_5452_414D

    /// Greater is newer.
    package var counter: UInt64 = 0
    package var log: LogID
    package var mark: LogMark
    /// A number for the ownership of keys; 0 while unknown.
    package var owners: UInt64 = 0
    /// Whether records after the mark were skipped, though later ones were applied.
    package var hasGap = false
    /// Floors, as encoded by their owner.
    package var floors: [UInt8]

    package init(log: LogID, mark: LogMark, floors: [UInt8]) {
        self.log = log
        self.mark = mark
        self.floors = floors
    }

    func encoded(_ seal: RecordSeal) -> [UInt8] {
        var writer = ByteWriter(capacityBytes: Self.headBytes + floors.count)
        writer.append(Self.magic)
        writer.append(UInt32(0))
        writer.append(UInt32(floors.count))
        writer.append(counter)
        writer.append(log.rawValue)
        writer.append(mark.position.sequence.rawValue)
        writer.append(mark.digest.rawValue)
        writer.append(mark.position.epoch.rawValue)
        writer.append(owners)
        writer.append(UInt32(hasGap ? 1 : 0))
        writer.append(floors)
        let body = UnsafeRawBufferPointer(rebasing: writer.bytes[12...])
        writer.patch(seal.checksum(body, in: .none, at: 3), at: 8)
        return writer.array
    }

    /// `nil` if it is damaged, another tier's, impossible, or was never written.
    init?(_ bytes: [UInt8], _ seal: RecordSeal) {
        let decoded = bytes.withUnsafeBytes { Self.decode($0, seal) }
        guard let decoded else { return nil }
        self = decoded
    }

    private static func decode(
        _ bytes: UnsafeRawBufferPointer, _ seal: RecordSeal
    ) -> Checkpoint? {
        guard bytes.count >= 16, StoredInteger.read(bytes, at: 0) == magic else { return nil }
        let floorsBytes = Int(StoredInteger.read(bytes, at: 12, as: UInt32.self))
        let fixed = headBytes
        guard floorsBytes <= bytes.count - fixed else { return nil }
        let body = UnsafeRawBufferPointer(rebasing: bytes[12..<fixed + floorsBytes])
        guard
            StoredInteger.read(bytes, at: 8, as: UInt32.self)
                == seal.checksum(body, in: .none, at: 3),
            let sequence = SequenceNumber(stored: StoredInteger.read(bytes, at: 32))
        else { return nil }
        let position = LogPosition(
            epoch: Epoch(StoredInteger.read(bytes, at: 48, as: UInt32.self)),
            sequence: sequence)
        var checkpoint = Checkpoint(
            log: LogID(StoredInteger.read(bytes, at: 24)),
            mark: LogMark(
                position: position, digest: LogDigest(StoredInteger.read(bytes, at: 40))),
            floors: [UInt8](bytes[fixed..<fixed + floorsBytes]))
        checkpoint.counter = StoredInteger.read(bytes, at: 16)
        checkpoint.owners = StoredInteger.read(bytes, at: 52)
        checkpoint.hasGap = StoredInteger.read(bytes, at: 60, as: UInt32.self) & 1 != 0
        return checkpoint.counter < DiskLimits.numberEnd ? checkpoint : nil
    }
}
