import ByteCoding
import CacheModel
import CacheWire

extension DecodedBody {
    static func results(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        var reader = ByteReader(message.body)
        let proof = try Proof(decoding: &reader)
        var all: [(OperationResult, ResultFields)] = []
        for _ in 0..<message.count {
            let result = try OperationResult(decoding: &reader)
            all.append((result, try ResultFields(decoding: result.fields)))
        }
        try reader.expectEnd()
        let json = JSONValue.members([
            "proof": .members([
                "epoch": .small(proof.position.epoch.rawValue),
                "state": .small(proof.state.rawValue),
                "sequence": .wide(proof.position.sequence.rawValue),
                "leaseLeft": .small(proof.leaseLeftMilliseconds),
                "topology": .small(proof.topologyVersion),
            ]),
            "results": .list(all.map { line($0, $1) }),
        ])
        return DecodedBody(json: json) { writer in
            var out = MessageWriter(.results, requestID: message.requestID, into: &writer)
            message.fields.write(to: &out, &writer)
            proof.encode(into: &writer)
            for (result, fields) in all { append(result, fields, to: &writer) }
            out.finish(&writer, count: all.count)
        }
    }

    private static func line(_ result: OperationResult, _ fields: ResultFields) -> JSONValue {
        .members([
            "status": .small(result.rawStatus), "flags": .small(result.flags.rawValue),
            "detail": .small(result.detail), "age": .wide(result.ageMilliseconds),
            "ttl": .wide(result.ttlMilliseconds), "value": .hex(result.value),
            "version": fields.version == .none ? nil : .wide(fields.version.rawValue),
            "etag": fields.etag.map { .hex($0.bytes) },
            "tags": .list(fields.tags.map { .hex($0.bytes) }),
            "token": fields.token.map {
                .token($0, validMilliseconds: fields.tokenValidMilliseconds)
            },
            "fillPosition": fields.fillPosition.map(JSONValue.position),
            "whole": fields.whole.map {
                .members(["identity": .wide($0.identity), "total": .small($0.totalBytes)])
            },
            "retryAfter": fields.retryAfterMilliseconds.map(JSONValue.small),
            "message": fields.message.map(JSONValue.text), "terms": fields.terms.map(terms),
            "contentType": .field(fields.representation.contentType),
            "contentEncoding": .field(fields.representation.contentEncoding),
            "contentLanguage": .field(fields.representation.contentLanguage),
        ])
    }

    private static func terms(_ terms: ResultFields.Terms) -> JSONValue {
        .members([
            "staleWhileRevalidate": .small(terms.staleWhileRevalidate),
            "staleIfError": .small(terms.staleIfError),
            "mustNotBeKept": .bool(terms.mustNotBeKept),
        ])
    }

    private static func append(
        _ result: OperationResult, _ fields: ResultFields, to writer: inout ByteWriter
    ) {
        let start = writer.count
        OperationResult.append(
            result.status ?? .miss, flags: result.flags, detail: result.detail, to: &writer)
        OperationResult.setTimes(
            age: result.ageMilliseconds, ttl: result.ttlMilliseconds, at: start, in: &writer)
        append(fields, to: &writer)
        OperationResult.finishFields(from: start, in: &writer)
        OperationResult.appendValue(result.value, at: start, to: &writer)
    }

    static func append(_ fields: ResultFields, to writer: inout ByteWriter) {
        func append(_ id: UInt8, _ bytes: [UInt8]) {
            bytes.withUnsafeBytes { OperationResult.appendField(id, $0, to: &writer) }
        }
        if fields.version != .none {
            OperationResult.appendField(version: fields.version, to: &writer)
        }
        if let etag = fields.etag { append(OperationResult.FieldID.etag, etag.bytes) }
        for tag in fields.tags { append(OperationResult.FieldID.tag, tag.bytes) }
        if let token = fields.token {
            OperationResult.appendField(
                token: token, validMilliseconds: fields.tokenValidMilliseconds, to: &writer)
        }
        if let position = fields.fillPosition {
            OperationResult.appendField(fillPosition: position, to: &writer)
        }
        if let whole = fields.whole { OperationResult.appendField(whole: whole, to: &writer) }
        if let milliseconds = fields.retryAfterMilliseconds {
            OperationResult.appendField(retryAfterMilliseconds: milliseconds, to: &writer)
        }
        if let message = fields.message {
            append(OperationResult.FieldID.message, Array(message.utf8))
        }
        if let terms = fields.terms { OperationResult.appendField(terms: terms, to: &writer) }
        RepresentationFields.append(
            fields.representation, by: RepresentationFields.inResult, to: &writer)
    }
}
