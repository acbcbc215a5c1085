public import ByteCoding
public import CacheModel

/// The optional fields after a header, as a view into the frame.
///
///     id  name       bytes
///     81  namespace  1–64
///     82  atLeast    epoch 4, sequence 8
///     83  operation  16
///     04  deadline   4, milliseconds
///     05  topology   4
///     86  fresh      0
///     07  trace      1–64, of a trace context; other forms than the known one are passed over
///     08  retryAfter 4, milliseconds
///     09  lazy       0
///     0A  issuer     1–64 of UTF-8 without control characters
///     0B  previous   8, an incarnation
///     13  members    settled 1 (0: keys move between them), epoch 4, sequence 8
///     10  cluster    8, of which cluster the sender takes itself to be
///     8C  policy     1, of a read policy
///     8D  maxAge     4, milliseconds
///     8E  maxStale   4, milliseconds
///     8F  fromPeer   1, how urgent it is there: 0 somebody waits, 1 a refresh, 2 a prefetch
///     12  again      0
///     14  content type, 15 content encoding, 16 content language   1–255 each
///     17  fill       8, a digest of the log
///
/// An id of 80 or more is critical: unknown means refused. Which types a field belongs to is not
/// asked here: where it does not belong it has no effect.
public struct MessageFields {
    public enum ID {
        @usableFromInline package static let namespace: UInt8 = 0x81
        @usableFromInline package static let atLeast: UInt8 = 0x82
        @usableFromInline package static let operation: UInt8 = 0x83
        @usableFromInline package static let deadline: UInt8 = 0x04
        @usableFromInline package static let topology: UInt8 = 0x05
        @usableFromInline package static let fresh: UInt8 = 0x86
        package static let trace: UInt8 = 0x07
        package static let retryAfter: UInt8 = 0x08
        package static let lazy: UInt8 = 0x09
        package static let issuer: UInt8 = 0x0A
        package static let previousRun: UInt8 = 0x0B
        package static let members: UInt8 = 0x13
        @usableFromInline package static let cluster: UInt8 = 0x10
        package static let readPolicy: UInt8 = 0x8C
        package static let maxAge: UInt8 = 0x8D
        package static let maxStale: UInt8 = 0x8E
        package static let fromPeer: UInt8 = 0x8F
        package static let again: UInt8 = 0x12
        package static let fill: UInt8 = 0x17
        @usableFromInline package static let critical: UInt8 = 0x80
    }

    /// The namespace's name; `nil` where none was given, which means the default one. That one may
    /// also be given by its name.
    @usableFromInline package var namespace: UnsafeRawBufferPointer?
    @usableFromInline package var atLeast: LogPosition?
    @usableFromInline package var operation: OperationID = .none
    @usableFromInline package var deadlineMilliseconds: UInt32?
    @usableFromInline package var topologyVersion: UInt32?
    @usableFromInline package var isFresh = false
    /// What request of the outside it belongs to, as it stands in the frame.
    @usableFromInline package var trace: UnsafeRawBufferPointer?
    @usableFromInline package var retryAfterMilliseconds: UInt32?
    /// Of RECORDS: nobody waits for these, so they may be acknowledged in a while.
    @usableFromInline package var isLazy = false
    /// The name of who says that it ordered the invalidation.
    @usableFromInline package var issuer: UnsafeRawBufferPointer?
    /// Of WELCOME: which run of the node had a lease last, before the one that is welcomed.
    @usableFromInline package var previousRun: Incarnation = .none
    /// Of TOPOLOGY REPORT: since when its nodes are the members; `nil` from a publisher that does
    /// not say who they are.
    @usableFromInline package var members: MembersNote?
    /// Of which cluster the sender takes itself to be; none where it does not know.
    @usableFromInline package var cluster: ClusterID = .none
    /// Of GET: what it is answered from, instead of what the namespace says.
    @usableFromInline package var readPolicy: ReadPolicy?
    /// Of GET: what is older is not fresh enough.
    @usableFromInline package var maxAgeMilliseconds: UInt32?
    /// Of GET: what is past its lifetime by no more is welcome.
    @usableFromInline package var maxStaleMilliseconds: UInt32?
    /// Of GET: another node asks, to save a load of its own. How urgent that is there: 0 somebody
    /// waits for it, 1 it goes on behind an answer, 2 it is fetched ahead.
    @usableFromInline package var peerUrgency: UInt8?
    /// Of GET: it was asked before over this connection, and the answer did not come. A load lease
    /// that the asker was given then is granted to it once more.
    @usableFromInline package var isAgain = false
    /// Of EXPLANATION: all fields, where some say what the value's bytes are; else empty.
    @usableFromInline package var described = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Of GET, STATUS and RESULTS: a node copies what is there into its own memory. The digest of
    /// its log at ``atLeast``; of STATUS 0.
    @usableFromInline package var fill: LogDigest?

    @inlinable
    package init() {}

    @inlinable
    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireRefusal) {
        self.init()
        guard bytes.count > 0 else { return }
        try decodeAll(ByteReader(bytes))
    }

    @usableFromInline
    package mutating func decodeAll(_ source: ByteReader) throws(WireRefusal) {
        var reader = source
        var seen = SeenFields()
        while !reader.isAtEnd {
            let id = try reader.next(UInt8.self)
            let length = Int(try reader.next(UInt8.self))
            let value = try reader.take(length)
            if Self.isOfRepresentation(id) {
                try seen.note(id)
                var all = source
                described = try all.take(all.remainingBytes)
                continue
            }
            try decode(id: id, value, seen: &seen)
        }
    }

    private static func isOfRepresentation(_ id: UInt8) -> Bool {
        let ids = RepresentationFields.inHeader
        return id == ids.type || id == ids.encoding || id == ids.language
    }

    private mutating func decode(
        id: UInt8, _ bytes: UnsafeRawBufferPointer, seen: inout SeenFields
    ) throws(WireRefusal) {
        switch id {
        case ID.namespace, ID.atLeast, ID.operation, ID.deadline, ID.topology, ID.fresh, ID.trace,
            ID.retryAfter, ID.lazy, ID.issuer, ID.previousRun, ID.cluster, ID.members,
            ID.readPolicy, ID.maxAge, ID.maxStale, ID.fromPeer, ID.again, ID.fill:
            try seen.note(id)
            try decodeKnown(id, bytes)
        case let other where other >= ID.critical:
            throw WireRefusal(
                .unknownCriticalField, "a critical field is not known in this version")
        default:
            return
        }
    }

    private mutating func decodeKnown(
        _ id: UInt8, _ bytes: UnsafeRawBufferPointer
    ) throws(WireRefusal) {
        switch id {
        case ID.namespace: namespace = try Self.checkedNamespace(bytes)
        case ID.atLeast:
            var value = try ByteReader(field: bytes, bytes: 12)
            atLeast = try value.position()
        case ID.operation:
            var value = try ByteReader(field: bytes, bytes: 16)
            operation = try OperationID(decoding: &value)
        case ID.deadline: deadlineMilliseconds = try Self.number(bytes)
        case ID.topology: topologyVersion = try Self.number(bytes)
        case ID.retryAfter: retryAfterMilliseconds = try Self.number(bytes)
        case ID.fresh:
            _ = try ByteReader(field: bytes, bytes: 0)
            isFresh = true
        case ID.lazy:
            _ = try ByteReader(field: bytes, bytes: 0)
            isLazy = true
        case ID.again:
            _ = try ByteReader(field: bytes, bytes: 0)
            isAgain = true
        case ID.issuer: issuer = try Self.checkedIssuer(bytes)
        case ID.previousRun:
            var value = try ByteReader(field: bytes, bytes: 8)
            previousRun = Incarnation(try value.next(UInt64.self))
        case ID.members:
            var value = try ByteReader(field: bytes, bytes: 13)
            // Whatever else a later release says is not settled.
            let isSettled = try value.next(UInt8.self) == 1
            members = MembersNote(isSettled: isSettled, asOf: try value.position())
        case ID.cluster:
            var value = try ByteReader(field: bytes, bytes: 8)
            cluster = ClusterID(try value.next(UInt64.self))
        case ID.fill:
            var value = try ByteReader(field: bytes, bytes: 8)
            fill = LogDigest(try value.next(UInt64.self))
        case ID.readPolicy, ID.maxAge, ID.maxStale, ID.fromPeer: try decodeReading(id, bytes)
        default:
            guard (1...WireLimits.traceBytesMax).contains(bytes.count) else {
                throw WireRefusal(.malformed, "a trace context has 1 to 64 bytes")
            }
            trace = bytes
        }
    }

    /// What a GET says of how it is to be answered.
    private mutating func decodeReading(
        _ id: UInt8, _ bytes: UnsafeRawBufferPointer
    ) throws(WireRefusal) {
        switch id {
        case ID.maxAge: maxAgeMilliseconds = try Self.number(bytes)
        case ID.maxStale: maxStaleMilliseconds = try Self.number(bytes)
        case ID.fromPeer:
            var value = try ByteReader(field: bytes, bytes: 1)
            let urgency = try value.next(UInt8.self)
            guard urgency <= 2 else {
                throw WireRefusal(.malformed, "how urgent a peer's question is is not known")
            }
            peerUrgency = urgency
        default:
            var value = try ByteReader(field: bytes, bytes: 1)
            guard let policy = ReadPolicy(number: try value.next(UInt8.self)) else {
                throw WireRefusal(.malformed, "there is no such read policy")
            }
            readPolicy = policy
        }
    }

    private static func number(_ bytes: UnsafeRawBufferPointer) throws(WireRefusal) -> UInt32 {
        var value = try ByteReader(field: bytes, bytes: 4)
        return try value.next(UInt32.self)
    }

    private static func checkedIssuer(
        _ bytes: UnsafeRawBufferPointer
    ) throws(WireRefusal) -> UnsafeRawBufferPointer {
        guard String(validating: bytes, as: UTF8.self).flatMap({ Issuer($0) }) != nil else {
            throw WireRefusal(
                .malformed, "an issuer has 1 to 64 bytes of UTF-8 without control characters")
        }
        return bytes
    }

    private static func checkedNamespace(
        _ bytes: UnsafeRawBufferPointer
    ) throws(WireRefusal) -> UnsafeRawBufferPointer {
        guard Namespace.isName(bytes) else {
            throw WireRefusal(
                .malformed, "a namespace has 1 to 64 of the characters a-z A-Z 0-9 . _ -")
        }
        return bytes
    }
}
