import CacheHTTP
import CacheModel
import Telemetry
import Tracing

/// The trace of the client request that is being answered, for all code that acts on its behalf.
///
/// A request with a trace is followed to nodes and origins. For one without, a trace is begun: it
/// is part of the answer and the log, and is sent to the publisher and to nodes that store; but a
/// read is sent without it, because reads that belong to a trace do not share messages.
///
/// If spans are recorded, they are recorded for traces that request it, and for a share of those
/// that begin here. Reads of such a request are sent with their trace, also one begun here: the
/// client does that.
struct RequestTrace: Sendable {
    /// The context sent to the cluster: this gateway asks.
    let context: TraceContext
    /// The client's span, if it came with the request.
    let parent: UInt64?
    /// Whether the span of this request is recorded.
    let isRecorded: Bool
    /// The parent of spans of its calls; `nil` if no spans are recorded.
    private let surroundings: ServiceContext?

    @TaskLocal static var current: RequestTrace?

    /// - Parameter tracer: records spans; `nil`: none are recorded.
    init(_ fields: FieldList, _ tracer: SpanTracer? = nil) {
        let draw = { UInt64.random(in: .min ... .max) }
        // Two fields of that name are joined with a comma, and are malformed.
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

    /// The trace sent with reads.
    static var forReads: TraceContext? {
        current.flatMap { $0.isGiven ? $0.context : nil }
    }

    /// The trace sent with all other operations.
    static var forChanges: TraceContext? { current?.context }

    /// Runs work on behalf of this request.
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

    /// Adds the trace to the fields of its answer.
    func name(in fields: inout FieldList) {
        fields.append(TraceField.requestID, context.id)
        if isGiven { fields.append(TraceField.parent, context.traceparent) }
    }
}
