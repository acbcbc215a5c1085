package import ByteCoding
package import CacheModel

/// SCAN: the keys of one shard that a scope covers, a bounded part at a time.
///
///     body: cursor 8, limit 4, kind 1, options 1 (1 count only, 2 hottest),
///           name bytes 2, name
public struct ScanRequest: Hashable, Sendable {
    /// 0 to begin, then the value from the last page.
    package var cursor: UInt64
    /// Maximum keys in one page: 1 to 1 024.
    package var limit: Int
    package var target: Scope.Target
    package var isCountOnly: Bool
    /// Only the hottest of each part, the hottest first. Not with ``isCountOnly``.
    package var isHottest = false
    /// Only keys of slots that this record moved to the asker; `nil`: all.
    package var move: LogPosition?

    package init(cursor: UInt64, limit: Int, target: Scope.Target, isCountOnly: Bool) {
        self.cursor = cursor
        self.limit = limit
        self.target = target
        self.isCountOnly = isCountOnly
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        var message = MessageWriter(.scan, requestID: requestID, into: &writer)
        let (kind, namespace, name) = Scope(target).parts
        message.field(namespace, into: &writer)
        message.field(move: move, into: &writer)
        writer.append(cursor)
        writer.append(UInt32(limit))
        writer.append(kind.rawValue)
        writer.append(UInt8((isCountOnly ? 1 : 0) | (isHottest ? 2 : 0)))
        writer.append(UInt16(name.count))
        writer.append(name)
        message.finish(&writer, count: 0)
    }

    package init(decoding message: MessageView) throws(WireRefusal) {
        var reader = ByteReader(message.body)
        cursor = try reader.next(UInt64.self)
        limit = Int(try reader.next(UInt32.self))
        guard (1...WireLimits.scanKeysMax).contains(limit) else {
            throw WireRefusal(.outOfRange, "a page of a scan has 1 to 1024 keys")
        }
        let kind: ScopeKind = try reader.known(or: "the kind of a scope is not known")
        let options = try reader.next(UInt8.self)
        guard options <= 2 else { throw .reserved }
        isCountOnly = options == 1
        isHottest = options == 2
        let name = [UInt8](try reader.take(Int(try reader.next(UInt16.self))))
        let namespace = try Scope.namespace(message.fields.namespace)
        target = try Scope.target(kind, namespace: namespace, name: name)
        move = message.fields.move
        try reader.expectEnd()
    }
}
