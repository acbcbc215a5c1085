import ByteCoding
package import CacheModel

/// What a client wants to be told of: `GET /v1/stream`.
package struct StreamOrder: Hashable, Sendable {
    package static let path = "/v1/stream"

    /// What is asked for; none where a message is to say it.
    package var targets: [Scope.Target] = []
    /// The last position that was heard.
    package var after: LogPosition?
    /// Of which cluster that is; none where it was not said.
    package var cluster = ClusterID.none
    /// A token that came in a message: browsers cannot send it in a field.
    package var token: String?

    /// Whether a target names the stream.
    package static func isMeant(by target: String) -> Bool {
        target.utf8.elementsEqual(path.utf8) || target.utf8.starts(with: (path + "?").utf8)
    }

    /// Reads the query, and `Last-Event-ID`, which is newer than what a URL says.
    ///
    ///     ?namespace=images&prefix=images/t:&key=greeting&tag=news&after=1:42
    ///     ?everything
    ///
    /// A name is `NAMESPACE/NAME`, or `NAME` in the default namespace. `+` is a space, as in forms;
    /// a plus is `%2B`.
    ///
    /// - Throws: ``ProblemKind/malformedTarget`` or ``ProblemKind/malformedField``.
    package init(_ head: RequestHead) throws(Problem) {
        let query = head.target.utf8.dropFirst(Self.path.utf8.count + 1)
        for part in query.split(separator: UInt8(ascii: "&")) { try read(Array(part)) }
        guard let last = head.fields["Last-Event-ID"], !last.isEmpty else { return }
        goOn(
            after: try ClusterPosition(last).or(
                .malformedField, "Last-Event-ID is a position, EPOCH:SEQUENCE, as it was sent"))
    }

    mutating func goOn(after position: ClusterPosition) {
        (after, cluster) = (position.position, position.cluster)
    }

    private mutating func read(_ part: [UInt8]) throws(Problem) {
        let name = part.prefix { $0 != UInt8(ascii: "=") }
        // As forms write it, and with them what builds queries in most languages.
        let written = part.dropFirst(name.count + 1).map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }
        let value = try PercentEncoding.bytes(of: written[...])
            .or(.malformedTarget, "in a query, % precedes two hexadecimal digits")
        let text = String(decoding: value, as: UTF8.self)
        switch String(decoding: name, as: UTF8.self) {
        case "everything":
            // `everything=false` would not mean what it says.
            guard value.isEmpty else {
                throw Problem(.malformedTarget, "everything has no value in a query")
            }
            targets.append(.everything)
        case "namespace": targets.append(.namespace(try Self.namespace(text)))
        case "key":
            let (room, bytes) = try Self.named(value)
            targets.append(try Self.key(bytes, room))
        case "prefix":
            let (room, bytes) = try Self.named(value)
            targets.append(try Self.prefix(bytes, room))
        case "tag":
            let (room, bytes) = try Self.named(value)
            targets.append(try Self.tag(bytes, room))
        case "after":
            goOn(
                after: try ClusterPosition(text)
                    .or(.malformedTarget, "after is a position: EPOCH:SEQUENCE"))
        default:
            throw Problem(
                .malformedTarget,
                "a stream's query has everything, namespace, key, prefix, tag and after")
        }
    }

    // MARK: Names

    private static func namespace(_ text: String) throws(Problem) -> Namespace {
        try Namespace(text).or(
            .malformedTarget, "a namespace has 1 to \(Namespace.bytesMax) of a–z A–Z 0–9 . _ -")
    }

    /// What stands before the first slash is the namespace: a name that has a slash itself is
    /// written with its namespace.
    private static func named(_ value: [UInt8]) throws(Problem) -> (Namespace, [UInt8]) {
        guard let slash = value.firstIndex(of: UInt8(ascii: "/")) else { return (.default, value) }
        let room = try namespace(String(decoding: value[..<slash], as: UTF8.self))
        return (room, Array(value[(slash + 1)...]))
    }

    static func key(_ bytes: [UInt8], _ room: Namespace) throws(Problem) -> Scope.Target {
        .key(
            try CacheKey(bytes: bytes)
                .or(.invalidArgument, "a key has 1 to \(CacheKey.bytesMax) bytes"),
            in: room)
    }

    static func prefix(_ bytes: [UInt8], _ room: Namespace) throws(Problem) -> Scope.Target {
        guard (1...CacheKey.bytesMax).contains(bytes.count) else {
            throw Problem(
                .invalidArgument,
                "a prefix has 1 to \(CacheKey.bytesMax) bytes; for all keys of a namespace ask "
                    + "for the namespace")
        }
        return .prefix(bytes, in: room)
    }

    static func tag(_ bytes: [UInt8], _ room: Namespace) throws(Problem) -> Scope.Target {
        .tag(
            try Tag(bytes: bytes).or(.invalidArgument, "a tag has 1 to \(Tag.bytesMax) bytes"),
            in: room)
    }
}

extension StreamOrder {
    /// Reads the first message of a WebSocket, beside what the query said. Its members are those of
    /// `POST /v1/invalidate`, with `after` and `token`:
    ///
    ///     {"after": "1:42", "namespace": "images", "prefixes": ["t:"], "tags": ["news"]}
    ///
    /// - Throws: ``ProblemKind/malformedBody`` or ``ProblemKind/invalidArgument``.
    package mutating func read(message: [UInt8]) throws(Problem) {
        var members = try BodyMembers(message)
        let room = try members.namespace("namespace") ?? .default
        for bytes in try members.names("keys") { targets.append(try Self.key(bytes, room)) }
        for bytes in try members.names("prefixes") { targets.append(try Self.prefix(bytes, room)) }
        for bytes in try members.names("tags") { targets.append(try Self.tag(bytes, room)) }
        targets += try members.namespaces().map { .namespace($0) }
        if try members.flag("everything") { targets.append(.everything) }
        if let text = try members.text("after") {
            goOn(
                after: try ClusterPosition(text)
                    .or(.malformedBody, "after is a position, EPOCH:SEQUENCE, as it was sent"))
        }
        token = try members.text("token")
        try members.end()
    }
}
