import CacheHTTP

/// The kind of a request for metrics: without any names in it.
enum GatewayRoute: Int, CaseIterable, Sendable {
    case entry, namespace, batch, invalidations, explanation, cluster, document, stream
    /// Any other request.
    case other

    /// The label.
    var label: String {
        switch self {
        case .entry: ResourceShape.entry.rawValue
        case .namespace: ResourceShape.namespace.rawValue
        case .batch: ResourceShape.batch.rawValue
        case .invalidations: ResourceShape.invalidations.rawValue
        case .explanation: ResourceShape.explanation.rawValue
        case .cluster: ResourceShape.cluster.rawValue
        case .document: ResourceShape.document.rawValue
        case .stream: StreamOrder.path
        case .other: "other"
        }
    }

    /// Uses only the target, and decodes nothing, so that a malformed target is classified as well.
    init(target: String) {
        let root = "/v1/"
        guard target.utf8.starts(with: root.utf8) else {
            self = .other
            return
        }
        let path = target.utf8.dropFirst(root.utf8.count).prefix { $0 != UInt8(ascii: "?") }
        switch path.first {
        case UInt8(ascii: "i") where path.elementsEqual("invalidate".utf8): self = .invalidations
        case UInt8(ascii: "c") where path.elementsEqual("cluster".utf8): self = .cluster
        case UInt8(ascii: "o") where path.elementsEqual("openapi.json".utf8): self = .document
        case UInt8(ascii: "o") where path.elementsEqual("openapi-3.1.json".utf8):
            self = .document
        case UInt8(ascii: "s") where path.elementsEqual("stream".utf8): self = .stream
        case UInt8(ascii: "e") where path.starts(with: "explain/".utf8): self = .explanation
        case nil: self = .other
        default:
            if path.contains(UInt8(ascii: "/")) {
                self = .entry
            } else if path.suffix(6).elementsEqual(":batch".utf8) {
                self = .batch
            } else {
                self = .namespace
            }
        }
    }
}
