import CacheModel

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
        for bytes in try members.names("namespaces") {
            guard let name = Namespace(String(decoding: bytes, as: UTF8.self)) else {
                throw Problem(.malformedBody, "namespaces: 1 to 64 of a–z A–Z 0–9 . _ - each")
            }
            targets.append(.namespace(name))
        }
        if try members.flag("everything") { targets.append(.everything) }
        if let text = try members.text("after") {
            guard let position = ClusterPosition(text) else {
                throw Problem(.malformedBody, "after is a position, EPOCH:SEQUENCE, as it was sent")
            }
            goOn(after: position)
        }
        token = try members.text("token")
        try members.end()
    }
}
