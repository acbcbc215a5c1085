@testable import ByteCoding
import CacheModel

@testable import CacheHTTP

/// Bodies, and the first message of a stream. What is taken is written as JSON, and taken again as
/// the same.
///
///     kind 1, bytes
enum BodiesFuzz: FuzzTarget {
    static let name = "bodies"

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        let kind = script.below(3)
        let body = script.restCopied()
        do throws(Problem) {
            switch kind {
            case 0: try invalidation(body)
            case 1: try batch(body)
            default: try stream(body)
            }
        } catch {
            check(!error.answer.body.isEmpty, "a problem can be answered")
        }
    }

    private static func invalidation(_ body: [UInt8]) throws(Problem) {
        let order = try InvalidationOrder(body: body)
        check((1...InvalidationRecord.scopesMax).contains(order.scopes.count), "scopes' bound")
        check(order.timeout.map { $0 <= InvalidationOrder.timeoutMax } ?? true, "a wait's bound")
        guard let members = members(order.scopes.map(\.target)) else { return }
        var rest: [JSONDocument.Member] = [
            ("soft", .bool(order.isSoft)), ("dry_run", .bool(order.isDryRun)),
            ("wait", .text(order.wait.rawValue)),
        ]
        if let timeout = order.timeout {
            rest.append(("timeout_ms", .unsigned(timeout.wholeMilliseconds)))
        }
        if let version = order.scopes.lazy.compactMap(\.minimumVersion).first {
            rest.append(("min_version", .unsigned(version.rawValue)))
        }
        let text = Array(JSONDocument.object(members + rest).line.utf8)
        check(again { () throws(Problem) in try InvalidationOrder(body: text) } == order, "taken")
    }

    private static func batch(_ body: [UInt8]) throws(Problem) {
        let terms = ReadTerms()
        let order = try BatchOrder(.default, terms, body: body)
        check((1...BatchOrder.keysMax).contains(order.keys.count), "a batch's bound")
        check(Set(order.keys).count == order.keys.count, "each key once")
        let list = JSONDocument.list(order.keys.map { name($0.bytes) })
        let text = Array(JSONDocument.object([("keys", list)]).line.utf8)
        let other = again { () throws(Problem) in try BatchOrder(.default, terms, body: text) }
        check(other == order, "a batch is taken otherwise")
    }

    private static func stream(_ body: [UInt8]) throws(Problem) {
        var order = try StreamOrder(RequestHead("GET", StreamOrder.path))
        try order.read(message: body)
        guard var members = members(order.targets) else { return }
        if let after = order.after { members.append(("after", .text("\(after)"))) }
        if let token = order.token { members.append(("token", .text(token))) }
        let text = Array(JSONDocument.object(members).line.utf8)
        let other = again { () throws(Problem) in
            var other = try StreamOrder(RequestHead("GET", StreamOrder.path))
            try other.read(message: text)
            return other
        }
        check(other == order, "a stream is taken otherwise")
    }

    private static func again<Order>(_ read: () throws(Problem) -> Order) -> Order {
        do throws(Problem) {
            return try read()
        } catch {
            fatalError("what is written cannot be read: \(error.detail)")
        }
    }

    /// Of targets in the order in which bodies have them; `nil` where they are of several
    /// namespaces, which no body says.
    private static func members(_ targets: [Scope.Target]) -> [JSONDocument.Member]? {
        var lists: [String: [JSONDocument]] = [:]
        var room: Namespace?
        var isEverything = false
        for target in targets {
            switch target {
            case .key(let key, let name):
                lists["keys", default: []].append(Self.name(key.bytes))
                room = name
            case .tag(let tag, let name):
                lists["tags", default: []].append(Self.name(tag.bytes))
                room = name
            case .prefix(let bytes, let name):
                lists["prefixes", default: []].append(Self.name(bytes))
                room = name
            case .namespace(let name): lists["namespaces", default: []].append(.text(name.name))
            case .everything: isEverything = true
            }
        }
        var members = lists.map { ($0.key, JSONDocument.list($0.value)) }
        if let room { members.append(("namespace", .text(room.name))) }
        if isEverything { members.append(("everything", .bool(true))) }
        return members
    }

    private static func name(_ bytes: [UInt8]) -> JSONDocument {
        if let text = String(validating: bytes, as: UTF8.self) { return .text(text) }
        return .object([("base64", .text(Base64Text.text(of: bytes)))])
    }
}
