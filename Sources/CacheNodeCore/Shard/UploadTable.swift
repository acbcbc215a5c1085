package import CacheModel
package import CacheWire

/// Values too large for one frame, while their chunks come in. Bounded in number and bytes.
package struct UploadTable {
    private struct Upload {
        var bytes: [UInt8] = []
        var totalBytes: Int
        var touchedAt: Instant
    }

    private struct Name: Hashable {
        var peer: PeerID
        var id: UInt64
    }

    package enum Answer: Equatable, Sendable {
        case received
        /// It is not the chunk that comes next; the upload is given up.
        case outOfOrder
        case busy
    }

    private var uploads: [Name: Upload] = [:]
    private var reservedBytes = 0

    package init() {}

    package var count: Int { uploads.count }

    package func isUnderWay(_ id: UInt64, of peer: PeerID) -> Bool {
        uploads[Name(peer: peer, id: id)] != nil
    }

    /// Takes the next chunk of an upload, or the first of a new one.
    package mutating func receive(
        _ chunk: ChunkOperation, from peer: PeerID, now: Instant
    ) -> Answer {
        let name = Name(peer: peer, id: chunk.uploadID)
        if uploads[name] == nil {
            guard chunk.offset == 0 else { return .outOfOrder }
            guard uploads.count < ShardLimits.uploadsMax,
                reservedBytes + chunk.totalBytes <= ShardLimits.uploadBytesMax
            else { return .busy }
            uploads[name] = Upload(totalBytes: chunk.totalBytes, touchedAt: now)
            reservedBytes += chunk.totalBytes
        }
        guard let upload = uploads[name], upload.totalBytes == chunk.totalBytes,
            upload.bytes.count == chunk.offset
        else {
            _ = remove(name)
            return .outOfOrder
        }
        uploads[name]?.bytes.append(contentsOf: chunk.bytes)
        uploads[name]?.touchedAt = now
        return .received
    }

    /// Hands over a value that is whole; it is no longer kept here.
    package mutating func take(_ upload: SetOperation.Upload, of peer: PeerID) -> [UInt8]? {
        let name = Name(peer: peer, id: upload.id)
        guard let found = uploads[name], found.totalBytes == upload.totalBytes,
            found.bytes.count == found.totalBytes
        else { return nil }
        return remove(name)
    }

    /// Gives up what nobody has added to for ``ShardLimits/uploadIdle``.
    package mutating func expire(now: Instant) {
        for (name, upload) in uploads
        where upload.touchedAt.advanced(by: ShardLimits.uploadIdle) <= now {
            _ = remove(name)
        }
    }

    private mutating func remove(_ name: Name) -> [UInt8]? {
        guard let upload = uploads.removeValue(forKey: name) else { return nil }
        reservedBytes -= upload.totalBytes
        return upload.bytes
    }
}
