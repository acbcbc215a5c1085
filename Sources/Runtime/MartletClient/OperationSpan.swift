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

    /// The context for work during the operation.
    var context: ServiceContext { span.context }

    /// Ends the span of a read; `nil` for a miss.
    func end(with value: CachedValue?) {
        span.attributes["martlet.hit"] = value.map { $0.tier != .origin } ?? false
        if let value { add(value) }
        span.end()
    }

    /// Ends the span of a load. A value that was not stored is no error.
    func end(with value: CachedValue) {
        end(with: value as CachedValue?)
    }

    /// Ends the span of a read of several keys.
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

    /// Ends the span of a change, with its error if it failed.
    func end(with error: CacheError? = nil) {
        if let error {
            span.attributes["error.type"] = "\(error.code)"
            span.setStatus(SpanStatus(code: .error, message: "\(error.code)"))
        }
        span.end()
    }

    /// Ends the span with an error. Of an error from other code, only the type name is recorded:
    /// its text may be confidential.
    func end(with error: any Error) {
        if let error = error as? CacheError { return end(with: error as CacheError?) }
        let name = "\(type(of: error))"
        span.attributes["error.type"] = name
        span.setStatus(SpanStatus(code: .error, message: name))
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
