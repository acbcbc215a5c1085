import ByteCoding
import CacheModel
import CacheWire

/// Requests about keys, as a client writes them.
extension FuzzShard {
    mutating func dataFrame(_ script: inout Script) -> [UInt8] {
        let type = [MessageType.get, .get, .set, .set, .delete, .touch, .chunk][script.below(7)]
        let shape = script.byte()
        let count = type == .chunk ? 1 : 1 + script.below(4)
        var writer = ByteWriter(capacityBytes: 1_024)
        var message = MessageWriter(type, requestID: UInt64(shape), into: &writer)
        message.field(script.namespace(), into: &writer)
        writeFields(shape, &script, &message, &writer)
        for _ in 0..<count {
            switch type {
            case .get: appendGet(&script, to: &writer)
            case .set: appendSet(&script, to: &writer)
            case .delete:
                script.keyBytes().withUnsafeBytes { DeleteOperation.append(key: $0, to: &writer) }
            case .touch:
                let timeToLive = script.wild()
                script.keyBytes().withUnsafeBytes {
                    TouchOperation.append(key: $0, timeToLive: timeToLive, to: &writer)
                }
            default: appendChunk(&script, to: &writer)
            }
        }
        message.finish(&writer, count: count)
        return writer.array
    }

    private func writeFields(
        _ shape: UInt8, _ script: inout Script, _ message: inout MessageWriter,
        _ writer: inout ByteWriter
    ) {
        if shape & 1 == 1 {
            let ahead = LogPosition(
                epoch: log.head.position.epoch,
                sequence: SequenceNumber(
                    log.head.position.sequence.rawValue + UInt64(script.below(3))))
            message.field(
                MessageFields.ID.atLeast, script.isOdd() ? ahead : script.position(), into: &writer)
        }
        if shape & 2 == 2 {
            message.field(MessageFields.ID.deadline, UInt32(script.word()), into: &writer)
        }
        if shape & 4 == 4 {
            message.field(MessageFields.ID.fresh, .init(start: nil, count: 0), into: &writer)
        }
        if shape & 8 == 8 {
            message.field(
                ReadPolicy.allCases[script.below(ReadPolicy.allCases.count)], into: &writer)
        }
        if shape & 16 == 16 {
            message.field(MessageFields.ID.maxAge, UInt32(script.word()), into: &writer)
        }
        if shape & 32 == 32 {
            message.field(MessageFields.ID.maxStale, UInt32(script.word()), into: &writer)
        }
        if shape & 64 == 64 { message.field(peerUrgency: script.byte() & 3, into: &writer) }
        if shape & 128 == 128 {
            message.field(OperationID(high: 1, low: UInt64(script.byte())), into: &writer)
        }
    }

    private func appendGet(_ script: inout Script, to writer: inout ByteWriter) {
        let options = GetOperation.Options(rawValue: UInt16(script.byte() & 0x1F))
        script.keyBytes().withUnsafeBytes {
            GetOperation.append(key: $0, options: options.subtracting(.range), to: &writer)
        }
    }

    private mutating func appendSet(_ script: inout Script, to writer: inout ByteWriter) {
        let manner = script.byte()
        var description = SetOperation.Description()
        description.timeToLive = manner & 1 == 1 ? script.wild() : SetOperation.ttlDefault
        if manner & 2 == 2 { description.version = Version(script.wild()) }
        if manner & 4 == 4 { description.tags = (0...script.below(3)).map { _ in script.tag() } }
        if manner & 8 == 8 { description.etag = Validator("\"\(script.byte() % 3)\"") }
        if manner & 16 == 16 { description.token = token }
        if manner & 32 == 32 {
            description.upload = SetOperation.Upload(
                id: uploadID, totalBytes: Int(script.word()))
        }
        if manner & 64 == 64 { description.options = .renew }
        let length = manner & 96 != 0 ? 0 : Int(script.byte()) * (manner & 128 == 0 ? 1 : 300)
        let value = [UInt8](repeating: manner, count: length)
        script.keyBytes().withUnsafeBytes { key in
            value.withUnsafeBytes {
                SetOperation.append(key: key, value: $0, description, to: &writer)
            }
        }
    }

    private mutating func appendChunk(_ script: inout Script, to writer: inout ByteWriter) {
        if script.byte() == 0 { uploadID &+= 1 }
        let total = Int(script.word())
        let offset = Int(script.word())
        script.run().withUnsafeBytes {
            ChunkOperation.append(
                uploadID: uploadID, totalBytes: total, offset: offset, bytes: $0, to: &writer)
        }
    }
}
