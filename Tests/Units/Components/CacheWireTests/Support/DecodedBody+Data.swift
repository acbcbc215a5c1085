import ByteCoding
import CacheModel
import CacheWire

extension DecodedBody {
    /// Writes a message of the data path with the fields that `message` has.
    private static func writing(
        _ message: MessageView, _ body: @escaping (inout ByteWriter) -> Void
    ) -> (inout ByteWriter) -> Void {
        return { writer in
            var out = MessageWriter(message.type, requestID: message.requestID, into: &writer)
            message.fields.write(to: &out, &writer)
            body(&writer)
            out.finish(&writer, count: message.count)
        }
    }

    private static func operations(
        _ lines: [JSONValue], isRefused: Bool, _ message: MessageView,
        _ body: @escaping (inout ByteWriter) -> Void
    ) -> DecodedBody {
        DecodedBody(
            json: .members(["operations": .list(lines)]), isRefused: isRefused,
            encode: writing(message, body))
    }

    static func gets(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        var reader = ByteReader(message.body)
        var all: [GetOperation] = []
        for _ in 0..<(try message.operationCount()) { all.append(try .init(decoding: &reader)) }
        try reader.expectEnd()
        let lines: [JSONValue] = all.map { operation in
            .members([
                "key": .hex(operation.key), "options": .small(operation.options.rawValue),
                "range": operation.part.map {
                    .members([
                        "identity": .wide($0.identity), "offset": .small($0.offset),
                        "length": .small($0.length),
                    ])
                },
            ])
        }
        let isRefused = all.contains { !$0.isKeyValid || $0.part?.isValid == false }
        return operations(lines, isRefused: isRefused, message) { writer in
            for operation in all {
                GetOperation.append(
                    key: operation.key, options: operation.options, part: operation.part,
                    to: &writer)
            }
        }
    }

    static func deletes(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        var reader = ByteReader(message.body)
        var all: [DeleteOperation] = []
        for _ in 0..<(try message.operationCount()) { all.append(try .init(decoding: &reader)) }
        try reader.expectEnd()
        let lines: [JSONValue] = all.map { .members(["key": .hex($0.key)]) }
        return operations(lines, isRefused: !all.allSatisfy(\.isKeyValid), message) { writer in
            for operation in all { DeleteOperation.append(key: operation.key, to: &writer) }
        }
    }

    static func touches(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        var reader = ByteReader(message.body)
        var all: [TouchOperation] = []
        for _ in 0..<(try message.operationCount()) { all.append(try .init(decoding: &reader)) }
        try reader.expectEnd()
        let lines: [JSONValue] = all.map {
            .members(["key": .hex($0.key), "ttl": .wide($0.timeToLive)])
        }
        let isRefused = all.contains { $0.problem != nil }
        return operations(lines, isRefused: isRefused, message) { writer in
            for operation in all {
                TouchOperation.append(
                    key: operation.key, timeToLive: operation.timeToLive, to: &writer)
            }
        }
    }

    static func chunk(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        _ = try message.operationCount()
        var reader = ByteReader(message.body)
        let chunk = try ChunkOperation(decoding: &reader)
        try reader.expectEnd()
        let json = JSONValue.members([
            "upload": .wide(chunk.uploadID), "total": .small(chunk.totalBytes),
            "offset": .small(chunk.offset), "data": .hex(chunk.bytes),
        ])
        return DecodedBody(
            json: json, isRefused: !chunk.isValid,
            encode: writing(message) { writer in
                ChunkOperation.append(
                    uploadID: chunk.uploadID, totalBytes: chunk.totalBytes, offset: chunk.offset,
                    bytes: chunk.bytes, to: &writer)
            })
    }

    static func sets(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        var reader = ByteReader(message.body)
        var all: [(SetOperation, SetOperation.Description)] = []
        for _ in 0..<(try message.operationCount()) {
            var tags: [UnsafeRawBufferPointer] = []
            let operation = try SetOperation(decoding: &reader, tags: &tags)
            all.append((operation, description(of: operation, tags)))
        }
        try reader.expectEnd()
        let lines = all.map { set($0, $1) }
        let isRefused = all.contains { $0.0.problem != nil }
        return operations(lines, isRefused: isRefused, message) { writer in
            for (operation, description) in all {
                SetOperation.append(
                    key: operation.key, value: operation.value, description, to: &writer)
            }
        }
    }

    /// The server passes over how long a token is valid; every golden one is for ten seconds.
    private static func description(
        of operation: SetOperation, _ tags: [UnsafeRawBufferPointer]
    ) -> SetOperation.Description {
        var description = SetOperation.Description(
            timeToLive: operation.timeToLive, version: operation.version,
            tags: tags.compactMap { Tag(bytes: [UInt8]($0)) })
        description.etag = Validator(bytes: [UInt8](operation.etag))
        description.token = operation.token
        description.tokenValidMilliseconds = 10_000
        description.upload = operation.upload
        description.options = operation.options
        description.representation = operation.representation
        return description
    }

    private static func set(
        _ operation: SetOperation, _ description: SetOperation.Description
    ) -> JSONValue {
        .members([
            "key": .hex(operation.key), "value": .hex(operation.value),
            "ttl": .wide(operation.timeToLive),
            "version": operation.version == .none ? nil : .wide(operation.version.rawValue),
            "etag": operation.etag.isEmpty ? nil : .hex(operation.etag),
            "tags": .list(description.tags.map { .hex($0.bytes) }),
            "token": operation.token.map { .token($0, validMilliseconds: 10_000) },
            "upload": operation.upload.map {
                .members(["id": .wide($0.id), "total": .small($0.totalBytes)])
            },
            "options": .small(operation.options.rawValue),
            "contentType": .field(description.representation.contentType),
            "contentEncoding": .field(description.representation.contentEncoding),
            "contentLanguage": .field(description.representation.contentLanguage),
        ])
    }
}

extension JSONValue {
    static func field(_ field: RepresentationField?) -> JSONValue? {
        field.map { .text($0.text) }
    }
}
