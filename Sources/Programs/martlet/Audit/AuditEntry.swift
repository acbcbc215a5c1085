#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One line of an audit log, as far as people are shown it. docs/audit-format.md tells every field.
struct AuditEntry: Decodable {
    struct Scope: Decodable {
        var kind: String
        var name: String?
        var nameHash: String?
        var namespace: String?
    }

    var time: String
    var event: String
    var who: String?
    var key: String?
    var from: String?
    var claim: String?

    var position: String?
    var strength: String?
    var scopeCount: UInt64?
    var scopes: [Scope]?
    var repeated: Bool?
    var complete: Bool?
    var applied: UInt64?
    var expired: UInt64?
    var pending: UInt64?
    var ms: UInt64?
    var pacing: UInt64?
    var overMs: UInt64?
    var node: String?
    var runs: UInt64?
    var order: String?
    var name: String?
    var nameHash: String?
    var namespace: String?
    var message: String?
    var missing: String?
    var count: UInt64?
    var door: String?
    var reason: String?
    var entries: UInt64?
    var new: [String]?
    var gone: [String]?
    var changed: [String]?
    var role: String?

    private static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }()

    /// - Returns: `nil` for what is no line of an audit log.
    init?(_ line: [UInt8]) {
        do {
            self = try Self.decoder.decode(AuditEntry.self, from: Data(line))
        } catch {
            return nil
        }
    }
}
