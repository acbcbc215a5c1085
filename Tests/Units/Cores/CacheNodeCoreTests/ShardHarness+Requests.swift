import ByteCoding
import CacheModel
import CacheNodeCore
import CacheWire

/// How a test's request differs from a plain one.
struct RequestShape {
    var namespace = Namespace.default
    var atLeast: LogPosition?
    var deadlineMilliseconds: UInt32?
    var isFresh = false
    var maxAgeMilliseconds: UInt32?
    var trace: TraceContext?
    var isAgain = false
}

extension ShardHarness {
    mutating func frame(
        _ type: MessageType, count: Int, _ shape: RequestShape = RequestShape(),
        _ body: (inout ByteWriter) -> Void
    ) -> [UInt8] {
        var writer = ByteWriter()
        var message = MessageWriter(type, requestID: nextRequestID, into: &writer)
        nextRequestID += 1
        message.field(shape.namespace, into: &writer)
        if let atLeast = shape.atLeast {
            message.field(MessageFields.ID.atLeast, atLeast, into: &writer)
        }
        if let deadline = shape.deadlineMilliseconds {
            message.field(MessageFields.ID.deadline, deadline, into: &writer)
        }
        if shape.isFresh {
            message.field(
                MessageFields.ID.fresh, UnsafeRawBufferPointer(start: nil, count: 0), into: &writer)
        }
        if let maxAge = shape.maxAgeMilliseconds {
            message.field(MessageFields.ID.maxAge, maxAge, into: &writer)
        }
        message.field(shape.trace, into: &writer)
        if shape.isAgain {
            message.field(
                MessageFields.ID.again, UnsafeRawBufferPointer(start: nil, count: 0), into: &writer)
        }
        body(&writer)
        message.finish(&writer, count: count)
        return writer.array
    }

    mutating func getFrame(
        _ keys: [String], _ options: GetOperation.Options = [],
        _ shape: RequestShape = RequestShape()
    ) -> [UInt8] {
        frame(.get, count: keys.count, shape) { writer in
            for key in keys {
                Array(key.utf8).withUnsafeBytes {
                    GetOperation.append(key: $0, options: options, to: &writer)
                }
            }
        }
    }

    mutating func setFrame(
        _ key: String, _ value: String, _ description: SetOperation.Description = .init(),
        _ shape: RequestShape = RequestShape()
    ) -> [UInt8] {
        frame(.set, count: 1, shape) { writer in
            Array(key.utf8).withUnsafeBytes { key in
                Array(value.utf8).withUnsafeBytes { value in
                    SetOperation.append(key: key, value: value, description, to: &writer)
                }
            }
        }
    }

    mutating func deleteFrame(
        _ keys: [String], _ shape: RequestShape = RequestShape()
    ) -> [UInt8] {
        frame(.delete, count: keys.count, shape) { writer in
            for key in keys {
                Array(key.utf8).withUnsafeBytes { DeleteOperation.append(key: $0, to: &writer) }
            }
        }
    }

    mutating func touchFrame(_ key: String, ttl: UInt64) -> [UInt8] {
        frame(.touch, count: 1) { writer in
            Array(key.utf8).withUnsafeBytes {
                TouchOperation.append(key: $0, timeToLive: ttl, to: &writer)
            }
        }
    }

    /// The one result of a request that is answered at once.
    mutating func only(_ frame: [UInt8]) -> Outcome {
        guard case .results(_, let outcomes) = send(frame).first, let first = outcomes.first else {
            preconditionFailure("the request is answered at once with a result")
        }
        return first
    }

    mutating func get(
        _ key: String, _ options: GetOperation.Options = [],
        _ shape: RequestShape = RequestShape()
    ) -> Outcome {
        only(getFrame([key], options, shape))
    }

    mutating func set(
        _ key: String, _ value: String, _ description: SetOperation.Description = .init(),
        _ shape: RequestShape = RequestShape()
    ) -> Outcome {
        only(setFrame(key, value, description, shape))
    }

    /// A miss that hands out a token.
    mutating func token(for key: String) -> FillToken? {
        get(key, .token).fields.token
    }

    /// Stores with a token, as `load` does.
    mutating func fill(
        _ key: String, _ value: String, _ token: FillToken?, tags: [Tag] = []
    ) -> Outcome {
        var description = SetOperation.Description(tags: tags)
        description.token = token
        return set(key, value, description)
    }
}

extension Scope {
    static func key(_ text: String) -> Scope {
        Scope(.key(CacheKey(text) ?? .sample, in: .default))
    }
    static func tag(_ text: String) -> Scope { Scope(.tag(.named(text), in: .default)) }
    static func prefix(_ text: String) -> Scope {
        Scope(.prefix(Array(text.utf8), in: .default))
    }
    static var all: Scope { Scope(.everything) }
}

extension CacheKey {
    static var sample: CacheKey {
        guard let key = CacheKey("sample") else { preconditionFailure("a short text is a key") }
        return key
    }

    static func named(_ text: String) -> CacheKey {
        guard let key = CacheKey(text) else { preconditionFailure("a short text is a key") }
        return key
    }
}

extension Tag {
    static func named(_ text: String) -> Tag {
        guard let tag = Tag(text) else { preconditionFailure("a short text is a tag") }
        return tag
    }
}

extension ShardHarness {
    /// Sends a question that is answered at once, and reads its answer.
    mutating func answered<Body>(
        _ frame: [UInt8], _ read: (MessageView) throws -> Body
    ) throws -> Body {
        replies.removeAll()
        frame.withUnsafeBytes { bytes in
            let frames = [RequestFrame(peer: Self.peer, bytes: bytes)]
            _ = frames.withUnsafeBufferPointer { frames in
                core.turn(frames, from: 0, now: now, into: &replies, effects: &effects)
            }
        }
        defer { replies.removeAll() }
        return try read(try MessageView(decoding: replies.bytes(of: replies.entries[0])))
    }
}
