import CacheHTTP
import CacheModel
import SpanExport
import Tracing

/// The request of a client that is being answered, for all code that asks something for it.
///
/// A request that says which trace it belongs to is followed to nodes and origins. For one that
/// does not, a trace is begun: it is answered, logged, and told to the publisher and to nodes that
/// store; but a read goes without it, for reads that belong to a trace do not share messages.
///
/// Where spans are recorded, those of a trace that says so are, and of a share of those that begin
/// here. Reads of such a request go with their trace, also one begun here: the client does that.
struct RequestTrace: Sendable {
    /// As the cluster is told it: this gateway asks.
    let context: TraceContext
    /// The client's span, if it came with the request.
    let parent: UInt64?
    /// Whether the span of this request is recorded.
    let isRecorded: Bool
    /// Where spans of what is asked for it belong; `nil` where none are recorded of any request.
    private let surroundings: ServiceContext?

    @TaskLocal static var current: RequestTrace?

    /// - Parameter tracer: records spans; `nil`: none are recorded.
    init(_ fields: FieldList, _ tracer: SpanTracer? = nil) {
        let draw = { UInt64.random(in: .min ... .max) }
        // Two fields of that name come with a comma between them, and are malformed.
        let given = fields[TraceField.parent].flatMap {
            TraceContext(traceparent: $0, tracestate: fields[TraceField.state])
        }
        parent = given?.span
        var context = given?.passed(by: draw) ?? .begun(by: draw)
        if let tracer, given == nil { context = context.marked(asSampled: tracer.takes(context)) }
        self.context = context
        isRecorded = tracer != nil && context.isSampled
        if isRecorded {
            surroundings = SpanTracer.surroundings(of: context)
        } else {
            surroundings = tracer.map { _ in SpanTracer.silence }
        }
    }

    /// Whether it came with the request.
    var isGiven: Bool { parent != nil }

    /// What reads are told.
    static var forReads: TraceContext? {
        current.flatMap { $0.isGiven ? $0.context : nil }
    }

    /// What all others are told.
    static var forChanges: TraceContext? { current?.context }

    /// Does something for this request.
    func follow<Outcome>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Outcome
    ) async throws -> Outcome {
        guard let surroundings else {
            return try await Self.$current.withValue(self, operation: body)
        }
        return try await ServiceContext.withValue(surroundings) {
            try await Self.$current.withValue(self, operation: body)
        }
    }

    /// Names the request in the fields of its answer.
    func name(in fields: inout FieldList) {
        fields.append(TraceField.requestID, context.id)
        if isGiven { fields.append(TraceField.parent, context.traceparent) }
    }
}
