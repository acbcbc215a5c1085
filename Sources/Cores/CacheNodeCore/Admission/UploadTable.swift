import ByteCoding
package import CacheAccess
package import CacheModel
package import CacheWire

/// Values too large for one frame, while their chunks arrive. Bounded in number, bytes and time; at
/// most half of the number and of the bytes for one principal.
package struct UploadTable {
    private struct Upload {
        var bytes: [UInt8] = []
        var totalBytes: Int
        /// The principal whose share it uses.
        var principal: PrincipalNumber
        var begunAt: Instant
        var touchedAt: Instant

        init(_ totalBytes: Int, of principal: PrincipalNumber, now: Instant) {
            self.totalBytes = totalBytes
            self.principal = principal
            (begunAt, touchedAt) = (now, now)
        }

        /// When it is given up.
        var end: Instant {
            min(
                touchedAt.advanced(by: ShardLimits.uploadIdle),
                begunAt.advanced(by: ShardLimits.uploadDurationMax))
        }
    }

    private struct Name: Hashable {
        var peer: PeerID
        var id: UInt64
    }

    package enum Answer: Equatable, Sendable {
        case received
        /// Not the next chunk; the upload is given up.
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

    /// Whether every store of a SET has its value in an upload that has begun.
    func haveBegun(for message: MessageView, from peer: PeerID) -> Bool {
        var reader = ByteReader(message.body)
        var tags: [UnsafeRawBufferPointer] = []
        for _ in 0..<message.count {
            tags.removeAll(keepingCapacity: true)
            let operation = ShardCore.planned { () throws(WireRefusal) in
                try SetOperation(decoding: &reader, tags: &tags)
            }
            guard let upload = operation.upload, isUnderWay(upload.id, of: peer) else {
                return false
            }
        }
        return true
    }

    /// Adds the next chunk of an upload, or the first of a new one.
    package mutating func receive(
        _ chunk: ChunkOperation, from peer: PeerID, of principal: PrincipalNumber = .unknown,
        now: Instant
    ) -> Answer {
        let name = Name(peer: peer, id: chunk.uploadID)
        if uploads[name] == nil {
            guard chunk.offset == 0 else { return .outOfOrder }
            guard hasRoom(for: chunk.totalBytes, of: principal) else { return .busy }
            uploads[name] = Upload(chunk.totalBytes, of: principal, now: now)
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

    private func hasRoom(for bytes: Int, of principal: PrincipalNumber) -> Bool {
        guard uploads.count < ShardLimits.uploadsMax,
            reservedBytes + bytes <= ShardLimits.uploadBytesMax
        else { return false }
        guard principal != .unknown else { return true }
        let own = uploads.values.filter { $0.principal == principal }
        return own.count < ShardLimits.uploadsMax / 2
            && own.reduce(bytes) { $0 + $1.totalBytes } <= ShardLimits.uploadBytesMax / 2
    }

    /// Removes and returns a complete value.
    package mutating func take(_ upload: SetOperation.Upload, of peer: PeerID) -> [UInt8]? {
        let name = Name(peer: peer, id: upload.id)
        guard let found = uploads[name], found.totalBytes == upload.totalBytes,
            found.bytes.count == found.totalBytes
        else { return nil }
        return remove(name)
    }

    /// Gives up the uploads that a refused SET names; nothing for a message of another type.
    mutating func remove(of message: MessageView, from peer: PeerID) {
        guard message.type == .set else { return }
        var reader = ByteReader(message.body)
        var tags: [UnsafeRawBufferPointer] = []
        for _ in 0..<message.count {
            tags.removeAll(keepingCapacity: true)
            do throws(WireRefusal) {
                let operation = try SetOperation(decoding: &reader, tags: &tags)
                if let upload = operation.upload { _ = remove(Name(peer: peer, id: upload.id)) }
            } catch {
                return
            }
        }
    }

    /// Gives up uploads that got no chunk for ``ShardLimits/uploadIdle``, and those that have taken
    /// longer than ``ShardLimits/uploadDurationMax`` in any case.
    package mutating func expire(now: Instant) {
        for (name, upload) in uploads where upload.end <= now { _ = remove(name) }
    }

    private mutating func remove(_ name: Name) -> [UInt8]? {
        guard let upload = uploads.removeValue(forKey: name) else { return nil }
        reservedBytes -= upload.totalBytes
        return upload.bytes
    }
}
