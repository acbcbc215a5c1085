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
///     07  trace      1–64, of a trace context; unknown forms are ignored
///     08  retryAfter 4, milliseconds
///     09  lazy       0
///     0A  issuer     1–64 of UTF-8 without control characters
///     0B  previous   8, an incarnation
///     13  members    settled 1 (0: keys move between them, 2: slots), epoch 4, sequence 8
///     10  cluster    8, the sender's cluster
///     8C  policy     1, of a read policy
///     8D  maxAge     4, milliseconds
///     8E  maxStale   4, milliseconds
///     8F  fromPeer   1, urgency at the peer: 0 a reader waits, 1 a refresh, 2 a prefetch
///     12  again      0
///     14  content type, 15 content encoding, 16 content language   1–255 each
///     17  fill       8, a digest of the log
///     18  slots      0
///     9C  move       epoch 4, sequence 8
///     9D  forwarded  epoch 4, sequence 8
///
/// An id of 80 or more is critical: unknown means refused. The message type is not checked here: a
/// field in a type that does not use it has no effect.
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
        package static let slots: UInt8 = 0x18
        package static let move: UInt8 = 0x9C
        package static let forwarded: UInt8 = 0x9D
        @usableFromInline package static let critical: UInt8 = 0x80
    }

    /// Fields that say yes by being there.
    public struct Marks: OptionSet, Sendable {
        public let rawValue: UInt8

        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// In RECORDS: no caller waits for these, so they may be acknowledged later.
        package static let lazy = Marks(rawValue: 1)
        /// In GET: a repetition over this connection after a lost first answer. A load lease
        /// granted to the asker then is granted again.
        package static let again = Marks(rawValue: 2)
        /// In HELLO: the node knows owners by slots.
        package static let slots = Marks(rawValue: 4)
    }

    /// The fields of a GET that determine how it is answered.
    public struct Reading: Sendable {
        /// The read policy, instead of the namespace's.
        @usableFromInline package var policy: ReadPolicy?
        /// An older entry is not fresh enough.
        @usableFromInline package var maxAgeMilliseconds: UInt32?
        /// An entry past its lifetime by at most this is accepted.
        @usableFromInline package var maxStaleMilliseconds: UInt32?
        /// Another node asks, to save a load of its own. The urgency there: 0 a reader waits for
        /// it, 1 a background refresh, 2 a prefetch.
        @usableFromInline package var peerUrgency: UInt8?

        /// Whether a fresh entry answers it, as in the namespace.
        @inlinable package var isPlain: Bool {
            policy == nil && maxAgeMilliseconds == nil && peerUrgency == nil
        }

        @inlinable
        package init() {}
    }

    /// The namespace's name; `nil` if none was given, which means the default namespace. That may
    /// also be given by name.
    @usableFromInline package var namespace: UnsafeRawBufferPointer?
    @usableFromInline package var atLeast: LogPosition?
    @usableFromInline package var operation: OperationID = .none
    @usableFromInline package var deadlineMilliseconds: UInt32?
    @usableFromInline package var topologyVersion: UInt32?
    @usableFromInline package var isFresh = false
    /// The fields of this kind that are there.
    @usableFromInline package var marks: Marks = []
    /// Those that few messages have: see ``Rare``.
    @usableFromInline package var rare: Rare = []
    /// The external request that it belongs to, as in the frame.
    @usableFromInline package var trace: UnsafeRawBufferPointer?
    /// All fields, as in the frame.
    @usableFromInline package var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The sender's cluster; none if unknown.
    @usableFromInline package var cluster: ClusterID = .none
    /// In GET: how it is answered.
    @usableFromInline package var reading = Reading()

    /// Whether a node asks, to save a load of its own.
    @inlinable package var isFromPeer: Bool { reading.peerUrgency != nil }

    /// Whether a node asks that copies entries into its own memory.
    @inlinable package var isForCopies: Bool { rare.contains(.fill) }

    /// Whether a node forwards writes of a slot that it lost.
    @inlinable package var isForwarded: Bool { rare.contains(.forwarded) }

    @inlinable
    package init() {}

    @inlinable
    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireRefusal) {
        self.init()
        guard bytes.count > 0 else { return }
        self.bytes = bytes
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
                rare.insert(.representation)
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
            ID.readPolicy, ID.maxAge, ID.maxStale, ID.fromPeer, ID.again, ID.fill, ID.slots,
            ID.move, ID.forwarded:
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
        case ID.atLeast: atLeast = try Self.position(bytes)
        case ID.operation:
            var value = try ByteReader(field: bytes, bytes: 16)
            operation = try OperationID(decoding: &value)
        case ID.deadline: deadlineMilliseconds = try ByteReader.number(inField: bytes)
        case ID.topology: topologyVersion = try ByteReader.number(inField: bytes)
        case ID.fresh: isFresh = try Self.mark(bytes)
        case ID.lazy: if try Self.mark(bytes) { marks.insert(.lazy) }
        case ID.again: if try Self.mark(bytes) { marks.insert(.again) }
        case ID.slots: if try Self.mark(bytes) { marks.insert(.slots) }
        case ID.cluster: cluster = ClusterID(try ByteReader.number(inField: bytes))
        case ID.readPolicy, ID.maxAge, ID.maxStale, ID.fromPeer: try decodeReading(id, bytes)
        case ID.retryAfter, ID.issuer, ID.previousRun, ID.members, ID.fill, ID.move, ID.forwarded:
            try checkRare(id, bytes)
        default:
            guard (1...WireLimits.traceBytesMax).contains(bytes.count) else {
                throw WireRefusal(.malformed, "a trace context has 1 to 64 bytes")
            }
            trace = bytes
        }
    }

    /// The fields of a GET that determine how it is answered.
    private mutating func decodeReading(
        _ id: UInt8, _ bytes: UnsafeRawBufferPointer
    ) throws(WireRefusal) {
        switch id {
        case ID.maxAge: reading.maxAgeMilliseconds = try ByteReader.number(inField: bytes)
        case ID.maxStale: reading.maxStaleMilliseconds = try ByteReader.number(inField: bytes)
        case ID.fromPeer:
            let urgency: UInt8 = try ByteReader.number(inField: bytes)
            guard urgency <= 2 else {
                throw WireRefusal(.malformed, "how urgent a peer's question is is not known")
            }
            reading.peerUrgency = urgency
        default:
            guard let policy = ReadPolicy(number: try ByteReader.number(inField: bytes)) else {
                throw WireRefusal(.malformed, "there is no such read policy")
            }
            reading.policy = policy
        }
    }

    /// A field that says yes by being there.
    private static func mark(_ bytes: UnsafeRawBufferPointer) throws(WireRefusal) -> Bool {
        _ = try ByteReader(field: bytes, bytes: 0)
        return true
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
