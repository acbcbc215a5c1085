import ByteCoding
import CacheLoading
import CacheModel
import CacheWire

/// The change of one operation of a SET or DELETE for an origin.
struct KeyChange {
    var key: CacheKey
    var change: OriginWrite.Change
    var representation = Representation()

    /// Reads the next operation of a message that was decoded before.
    ///
    /// - Parameter uploads: the value of a store may be there, and is removed.
    static func next(
        of message: MessageView, _ reader: inout ByteReader, from peer: PeerID,
        uploads: inout UploadTable, valueBytesMax: Int
    ) -> Result<KeyChange, StoreRefusal> {
        guard message.type == .set else {
            let operation = ShardCore.planned { () throws(WireRefusal) in
                try DeleteOperation(decoding: &reader)
            }
            return CacheKey(bytes: [UInt8](operation.key)).map {
                .success(KeyChange(key: $0, change: .delete))
            } ?? .failure(.outOfRange)
        }
        var tags: [UnsafeRawBufferPointer] = []
        let operation = ShardCore.planned { () throws(WireRefusal) in
            try SetOperation(decoding: &reader, tags: &tags)
        }
        guard operation.problem == nil, operation.token == nil,
            !operation.options.contains(.renew),
            let key = CacheKey(bytes: [UInt8](operation.key))
        else { return .failure(.outOfRange) }
        var value = [UInt8](operation.value)
        if let upload = operation.upload {
            guard let uploaded = uploads.take(upload, of: peer) else {
                return .failure(.uploadIncomplete)
            }
            value = uploaded
        }
        guard value.count <= valueBytesMax else { return .failure(.tooLarge) }
        return .success(
            KeyChange(
                key: key, change: .put(value), representation: operation.representation))
    }
}
