import ByteCoding
package import CacheModel

/// What lies beside the log of which cluster it is. docs/log-format.md has the bytes.
///
///     magic 8, checksum 4 (of what follows), epoch 4, cluster 8
package struct KeptCluster: Hashable, Sendable {
    /// "MARTCLU1": the last character is the number of the format.
    private static let magic: UInt64 = 0x3155_4C43_5452_414D
    private static let byteCount = 24

    package let id: ClusterID
    /// In which its log went on, last. One that begins anew begins behind it, so that no position
    /// of the cluster means two things.
    package let epoch: Epoch

    /// - Parameter id: not none.
    package init(_ id: ClusterID, in epoch: Epoch) {
        precondition(id != .none, "only what is known can be kept")
        self.id = id
        self.epoch = epoch
    }

    package var bytes: [UInt8] {
        var writer = ByteWriter(capacityBytes: Self.byteCount)
        writer.append(Self.magic)
        writer.append(UInt32(0))
        writer.append(epoch.rawValue)
        writer.append(id.rawValue)
        writer.patch(StoredChecksum.of(writer.bytes, from: 12), at: 8)
        return writer.array
    }

    /// Reads ``bytes``; `nil` where they are damaged or of another format, or name an epoch behind
    /// which there may be none.
    package init?(reading file: [UInt8]) {
        let read = file.withUnsafeBytes { file -> (ClusterID, Epoch)? in
            guard file.count == Self.byteCount, StableHash.word(file, 0) == Self.magic,
                StoredChecksum.read(file, at: 8) == StoredChecksum.of(file, from: 12)
            else { return nil }
            return (
                ClusterID(StableHash.word(file, 16)), Epoch(StoredChecksum.read(file, at: 12))
            )
        }
        guard let read, read.0 != .none, read.1 <= InvalidationLimits.epochKeptMax else {
            return nil
        }
        (id, epoch) = read
    }
}
