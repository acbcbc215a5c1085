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
}
