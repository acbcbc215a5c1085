import ByteCoding
import CacheModel

extension Resource {
    static let root = "/v1/"
    static let batchSuffix = ":batch"
    static let explainRoot = "explain/"

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
        switch String(decoding: rest, as: UTF8.self) {
        case "invalidate": self = .invalidations
        case "cluster": self = .cluster
        case "openapi.json": self = .document
        case "openapi-3.1.json": self = .olderDocument
        default:
            if rest.starts(with: Self.explainRoot.utf8) {
                let (namespace, key) = try Self.entry(rest.dropFirst(Self.explainRoot.utf8.count))
                self = .explanation(namespace, key)
            } else if rest.contains(UInt8(ascii: "/")) {
                let (namespace, key) = try Self.entry(rest)
                self = .entry(namespace, key)
            } else if rest.reversed().starts(with: Self.batchSuffix.utf8.reversed()) {
                self = .batch(try Self.namespace(rest.dropLast(Self.batchSuffix.utf8.count)))
            } else {
                self = .namespace(try Self.namespace(rest))
            }
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
