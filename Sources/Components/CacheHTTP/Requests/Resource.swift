import ByteCoding
package import CacheModel

/// What a path names.
package enum Resource: Hashable, Sendable {
    case entry(Namespace, CacheKey)
    case namespace(Namespace)
    case batch(Namespace)
    case invalidations
    case explanation(Namespace, CacheKey)
    case stream
    case cluster
    case document
    case olderDocument

    /// The kind of it.
    package var shape: ResourceShape {
        switch self {
        case .entry: .entry
        case .namespace: .namespace
        case .batch: .batch
        case .invalidations: .invalidations
        case .explanation: .explanation
        case .stream: .stream
        case .cluster: .cluster
        case .document: .document
        case .olderDocument: .olderDocument
        }
    }
}

/// The kinds of resources: the whole of the gateway's HTTP API, as the OpenAPI document lists it.
package enum ResourceShape: String, CaseIterable, Sendable {
    case entry = "/v1/{namespace}/{key}"
    case namespace = "/v1/{namespace}"
    case batch = "/v1/{namespace}:batch"
    case invalidations = "/v1/invalidate"
    case explanation = "/v1/explain/{namespace}/{key}"
    case stream = "/v1/stream"
    case cluster = "/v1/cluster"
    case document = "/v1/openapi.json"
    case olderDocument = "/v1/openapi-3.1.json"

    package var methods: [GatewayMethod] {
        switch self {
        case .entry: [.get, .head, .put, .delete, .purge]
        case .namespace: [.purge]
        case .batch, .invalidations: [.post]
        case .stream: [.get]
        case .explanation, .cluster, .document, .olderDocument: [.get, .head]
        }
    }

    fileprivate static let batchSuffix = ":batch"
    fileprivate static let explainRoot = "explain/"
    /// Those with one path, which is their raw value.
    private static let single: [Self] = [.invalidations, .cluster, .document, .olderDocument]

    /// - Parameter path: what follows `/v1/`, still encoded. The stream is told by its whole
    ///   target: ``StreamOrder/isMeant(by:)``.
    fileprivate init(path: some BidirectionalCollection<UInt8>) {
        let known = Self.single.first {
            path.elementsEqual($0.rawValue.utf8.dropFirst(Resource.root.utf8.count))
        }
        if let known {
            self = known
        } else if path.starts(with: Self.explainRoot.utf8) {
            self = .explanation
        } else if path.contains(UInt8(ascii: "/")) {
            self = .entry
        } else {
            let isBatch = path.suffix(Self.batchSuffix.utf8.count)
                .elementsEqual(Self.batchSuffix.utf8)
            self = isBatch ? .batch : .namespace
        }
    }

    /// The kind of a request for metrics, without any names in it; `nil`: of no resource. It uses
    /// only the target, and decodes nothing, so that a malformed target is classified as well.
    package init?(target: String) {
        guard !StreamOrder.isMeant(by: target) else {
            self = .stream
            return
        }
        let path = target.utf8.dropFirst(Resource.root.utf8.count)
            .prefix { $0 != UInt8(ascii: "?") }
        guard target.utf8.starts(with: Resource.root.utf8), !path.isEmpty else { return nil }
        self.init(path: path)
        if self == .olderDocument { self = .document }
    }
}

extension Resource {
    static let root = "/v1/"

    /// Finds what a request's target names.
    ///
    /// A key is everything behind the namespace's slash, so that it may have slashes of its own;
    /// all else in it that is not `A–Z a–z 0–9 - . _ ~` is best written with `%`.
    ///
    /// - Throws: ``ProblemKind/malformedTarget`` or ``ProblemKind/unknownRoute``.
    package init(target: String) throws(Problem) {
        guard !StreamOrder.isMeant(by: target) else {
            self = .stream
            return
        }
        let path = try Self.path(of: target)
        guard path.starts(with: Self.root.utf8) else { throw Self.unknown }
        let rest = path.dropFirst(Self.root.utf8.count)
        switch ResourceShape(path: rest) {
        case .invalidations: self = .invalidations
        case .cluster: self = .cluster
        case .document: self = .document
        case .olderDocument: self = .olderDocument
        case .stream: self = .stream
        case .explanation:
            let (namespace, key) = try Self.entry(
                rest.dropFirst(ResourceShape.explainRoot.utf8.count))
            self = .explanation(namespace, key)
        case .entry:
            let (namespace, key) = try Self.entry(rest)
            self = .entry(namespace, key)
        case .batch:
            self = .batch(try Self.namespace(rest.dropLast(ResourceShape.batchSuffix.utf8.count)))
        case .namespace: self = .namespace(try Self.namespace(rest))
        }
    }

    private static var unknown: Problem {
        Problem(
            .unknownRoute,
            "resources are /v1/NAMESPACE/KEY and those that /v1/openapi.json lists")
    }

    /// The path's bytes, still encoded.
    private static func path(of target: String) throws(Problem) -> ArraySlice<UInt8> {
        var rest = Array(target.utf8)[...]
        // Proxies may write the whole URL.
        for scheme in ["http://", "https://"] where rest.starts(with: scheme.utf8) {
            rest = rest.dropFirst(scheme.utf8.count).drop {
                $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?")
            }
        }
        guard rest.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem(
                .malformedTarget,
                "a URL has visible ASCII alone: write other bytes as % and two hexadecimal digits")
        }
        guard !rest.contains(UInt8(ascii: "?")), !rest.contains(UInt8(ascii: "#")) else {
            throw Problem(
                .malformedTarget,
                "nothing here takes a query: a ? that is in a key is written %3F, a # %23")
        }
        return rest
    }

    private static func namespace(_ text: ArraySlice<UInt8>) throws(Problem) -> Namespace {
        guard let bytes = PercentEncoding.bytes(of: text),
            let namespace = Namespace(String(decoding: bytes, as: UTF8.self))
        else {
            throw Problem(
                .malformedTarget,
                "a namespace has 1 to \(Namespace.bytesMax) of a–z A–Z 0–9 . _ -; without a name "
                    + "of its own it is default")
        }
        return namespace
    }

    private static func entry(
        _ text: ArraySlice<UInt8>
    ) throws(Problem) -> (Namespace, CacheKey) {
        let name = text.prefix { $0 != UInt8(ascii: "/") }
        let namespace = try namespace(name)
        guard name.count < text.count,
            let bytes = PercentEncoding.bytes(of: text.dropFirst(name.count + 1)),
            let key = CacheKey(bytes: bytes)
        else {
            throw Problem(
                .malformedTarget,
                "the namespace is followed by a key of 1 to \(CacheKey.bytesMax) bytes, with % and "
                    + "two hexadecimal digits for each byte that a URL may not have, % itself "
                    + "included")
        }
        return (namespace, key)
    }
}
