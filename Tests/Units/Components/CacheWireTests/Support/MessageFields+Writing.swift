import ByteCoding
import CacheModel
import CacheWire

extension MessageFields {
    /// The fields in the form of the golden files, without the trace, which nobody decodes.
    var json: JSONValue {
        let said = RepresentationFields.read(described, by: RepresentationFields.inHeader)
        return .members([
            "namespace": namespace.map { .text(String(decoding: $0, as: UTF8.self)) },
            "atLeast": atLeast.map(JSONValue.position),
            "operation": operation == .none ? nil : .operation(operation),
            "deadline": deadlineMilliseconds.map(JSONValue.small),
            "topology": topologyVersion.map(JSONValue.small), "fresh": .bool(isFresh),
            "retryAfter": retryAfterMilliseconds.map(JSONValue.small),
            "issuer": issuerName.map { .text($0.name) },
            "readPolicy": reading.policy.map { .small($0.number) },
            "maxAge": reading.maxAgeMilliseconds.map(JSONValue.small),
            "maxStale": reading.maxStaleMilliseconds.map(JSONValue.small),
            "fromPeer": reading.peerUrgency.map(JSONValue.small),
            "previousRun": previousRun == .none ? nil : .wide(previousRun.rawValue),
            "cluster": cluster == .none ? nil : .wide(cluster.rawValue),
            "contentType": .field(said.contentType),
            "contentEncoding": .field(said.contentEncoding),
            "contentLanguage": .field(said.contentLanguage),
            "move": move.map(JSONValue.position),
            "forwarded": forwarded.map(JSONValue.position),
        ])
    }

    /// Writes the fields in the order of the page.
    func write(to out: inout MessageWriter, _ writer: inout ByteWriter) {
        if let namespace { out.field(ID.namespace, namespace, into: &writer) }
        if let atLeast { out.field(ID.atLeast, atLeast, into: &writer) }
        out.field(operation, into: &writer)
        if let deadlineMilliseconds { out.field(ID.deadline, deadlineMilliseconds, into: &writer) }
        if let topologyVersion { out.field(ID.topology, topologyVersion, into: &writer) }
        if isFresh {
            out.field(
                ID.fresh, UnsafeRawBufferPointer(start: nil, count: 0), into: &writer)
        }
        if let issuer { out.field(ID.issuer, issuer, into: &writer) }
        if let policy = reading.policy { out.field(policy, into: &writer) }
        if let age = reading.maxAgeMilliseconds { out.field(ID.maxAge, age, into: &writer) }
        if let stale = reading.maxStaleMilliseconds { out.field(ID.maxStale, stale, into: &writer) }
        if let urgency = reading.peerUrgency { out.field(peerUrgency: urgency, into: &writer) }
        out.field(ID.previousRun, previousRun, into: &writer)
        out.field(cluster, into: &writer)
        if let move { out.field(ID.move, move, into: &writer) }
        if let forwarded { out.field(forwarded: forwarded, into: &writer) }
    }
}
