import ByteCoding

/// Which pages of other origins may use the gateway: the flag `--allow-origin`, and what browsers
/// are told because of it (the Fetch standard, CORS).
package struct AllowedOrigins: Hashable, Sendable {
    /// Of a flag: what it is, and what to write.
    package struct Mistake: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// No origin.
    package static let none = AllowedOrigins()

    /// Whether pages of everywhere may: `*`.
    package private(set) var isAnyone = false
    private var exact: Set<String> = []

    private init() {}

    /// - Throws: for what no browser would send as its Origin.
    package init(_ texts: [String]) throws(Mistake) {
        for text in texts {
            guard text != "*" else {
                isAnyone = true
                continue
            }
            guard Self.isOrigin(text) else {
                throw Mistake(
                    description: "--allow-origin \(text.prefix(100)): an origin is http:// or "
                        + "https://, a host in small letters and, where it is not the usual one, "
                        + "a port, without a slash behind it; or * for all")
            }
            exact.insert(text)
        }
    }

    /// Whether there is none; with some, answers may differ with the page that asks.
    package var isEmpty: Bool { !isAnyone && exact.isEmpty }

    /// Whether a page of that origin may. `null`, which many pages share, is one by `*` alone.
    package func allows(_ origin: String) -> Bool { isAnyone || exact.contains(origin) }

    private static func isOrigin(_ text: String) -> Bool {
        guard let scheme = ["http://", "https://"].first(where: { text.hasPrefix($0) }) else {
            return false
        }
        let host = text.dropFirst(scheme.count)
        let port = host.last == "]" ? nil : host.lastIndex(of: ":").map { host[$0...].dropFirst() }
        if let port {
            let isUsual = scheme == "http://" ? port == "80" : port == "443"
            guard let number = UInt16(port), "\(number)" == port, !isUsual else { return false }
        }
        let name = port.map { host.dropLast($0.count + 1) } ?? host
        return !name.isEmpty
            && name.utf8.allSatisfy {
                $0.isLetter && $0 == $0.lowercased || $0.isDigit || "-._[]:".utf8.contains($0)
            }
    }
}

extension AllowedOrigins {
    /// Fields of requests that a page may set. Those that it may always are not among them.
    static let requestFields = [
        "Authorization", "Cache-Control", TagText.groupsField, "Content-Encoding",
        "Content-Language", "Content-Type", "ETag", "If-Match", "If-None-Match", "Last-Event-ID",
        ReadTerms.atLeastField,
        InvalidationOrder.softField, LoadRight.field, StoreOrder.lifetimeField,
        StoreOrder.versionField, InvalidationOrder.waitField,
        TagText.surrogateField, TraceField.parent, TraceField.state,
    ]

    /// Fields of answers that a page may read beside those that it always may.
    static let answerFields = [
        "Age", "Allow", "Cache-Group-Invalidation", TagText.groupsField, "Cache-Status",
        "Content-Encoding", "ETag",
        StoreOrder.fencedField, "Martlet-Node", ReadOrder.overtakenField, "Martlet-Position",
        StoredValue.nodesField, LoadRight.field,
        StoreOrder.versionField, "Retry-After", TagText.surrogateField, "WWW-Authenticate",
        TraceField.requestID, TraceField.parent,
    ]

    /// For how many seconds a browser need not ask again.
    static let maxAgeSeconds = 600

    /// What goes with each answer, so that the page that asked may read it.
    package func fields(for head: RequestHead) -> FieldList {
        var fields = FieldList()
        guard !isEmpty else { return fields }
        // Caches on the way must not give one page's answer to another.
        if !isAnyone { fields.append("Vary", "Origin") }
        guard let origin = head.fields["Origin"], allows(origin) else { return fields }
        fields.append("Access-Control-Allow-Origin", isAnyone ? "*" : origin)
        fields.append(
            "Access-Control-Expose-Headers", Self.answerFields.joined(separator: ", "))
        return fields
    }

    /// The answer to a browser that asks on behalf of a page what it may send; `nil` if it is not
    /// asked. It takes no token: browsers show none.
    ///
    /// - Throws: ``ProblemKind/foreignPage``, and whatever is wrong with the target.
    package func preflight(_ head: RequestHead) throws(Problem) -> Answer? {
        guard head.method == "OPTIONS", let origin = head.fields["Origin"],
            head.fields["Access-Control-Request-Method"] != nil
        else { return nil }
        guard allows(origin) else { throw PageGuard.foreign }
        let methods = try Resource(target: head.target).shape.methods
        var answer = Answer(204)
        answer.fields.append(
            "Access-Control-Allow-Methods", methods.map(\.rawValue).joined(separator: ", "))
        answer.fields.append(
            "Access-Control-Allow-Headers", Self.requestFields.joined(separator: ", "))
        answer.fields.append("Access-Control-Max-Age", "\(Self.maxAgeSeconds)")
        return answer
    }
}
