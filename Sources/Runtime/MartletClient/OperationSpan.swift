import CacheModel
import Tracing

/// The span of one operation in progress. Ended once, with the outcome.
struct OperationSpan: Sendable {
    private let span: any Span
    /// The trace context to send to the other side: that of the span, if the tracer writes W3C
    /// fields, or else the caller's.
    let trace: TraceContext?

    init(_ span: any Span, _ trace: TraceContext?) {
        self.span = span
        self.trace = trace
    }

    var context: ServiceContext { span.context }

    /// Ends the span of a read or load; `nil` for a miss. A value that was not stored is no error.
    func end(with value: CachedValue?) {
        span.attributes["martlet.hit"] = value.map { $0.tier != .origin } ?? false
        if let value { add(value) }
        span.end()
    }

    func end(with results: [Result<CachedValue?, CacheError>]) {
        var hitCount = 0
        var first: CacheError?
        for result in results {
            switch result {
            case .success(let value?): hitCount += value.tier == .origin ? 0 : 1
            case .success(nil): break
            case .failure(let error): first = first ?? error
            }
        }
        span.attributes["martlet.hits"] = hitCount
        end(with: first)
    }

    /// Ends the span of a change, with its error if it failed. Of an error from other code, only
    /// the type name is recorded: its text may be confidential.
    func end(with error: (any Error)? = nil) {
        if let error {
            let name = (error as? CacheError).map { "\($0.code)" } ?? "\(type(of: error))"
            span.attributes["error.type"] = name
            span.setStatus(SpanStatus(code: .error, message: name))
        }
        span.end()
    }

    private func add(_ value: CachedValue) {
        span.attributes["martlet.tier"] = value.tier.rawValue
        if value.isStale { span.attributes["martlet.stale"] = true }
        if let node = value.node { span.attributes["martlet.node"] = node.name }
        if let error = value.notStored { span.attributes["martlet.not_stored"] = "\(error.code)" }
    }
}

extension OperationSpan? {
    /// Runs an operation in its span; without one, it is only run.
    ///
    /// - Parameters:
    ///   - trace: the trace context of the caller, for an operation without a span.
    ///   - body: receives the trace context to send to the other side.
    func record<Value>(
        or trace: TraceContext? = nil, _ body: (TraceContext?) async throws(CacheError) -> Value
    ) async throws(CacheError) -> Value {
        guard let self else { return try await body(trace) }
        do throws(CacheError) {
            let value = try await body(self.trace)
            self.end()
            return value
        } catch {
            self.end(with: error)
            throw error
        }
    }
}
