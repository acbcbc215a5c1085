import CacheHTTP
import CacheModel

/// Which request of the outside is being answered, for everybody who asks something for it.
///
/// A request that says which trace it belongs to is followed to nodes and origins. For one that
/// does not, a trace is begun: it is answered, logged, and told to the publisher and to those who
/// store; but a read goes without it, for reads that belong to a trace do not share messages.
struct RequestTrace: Sendable {
    /// As the cluster is told it: this gateway asks.
    let context: TraceContext
    /// Whether it came with the request.
    let isGiven: Bool

    @TaskLocal static var current: RequestTrace?

    init(_ fields: FieldList) {
        let draw = { UInt64.random(in: .min ... .max) }
        // Two fields of that name come with a comma between them, and are malformed.
        let given = fields[TraceField.parent].flatMap {
            TraceContext(traceparent: $0, tracestate: fields[TraceField.state])
        }
        isGiven = given != nil
        context = given?.passed(by: draw) ?? .begun(by: draw)
    }

    /// What reads are told.
    static var forReads: TraceContext? {
        current.flatMap { $0.isGiven ? $0.context : nil }
    }

    /// What all others are told.
    static var forChanges: TraceContext? { current?.context }

    /// Names the request in the fields of its answer.
    func name(in fields: inout FieldList) {
        fields.append(TraceField.requestID, context.id)
        if isGiven { fields.append(TraceField.parent, context.traceparent) }
    }
}
