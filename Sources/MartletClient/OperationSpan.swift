import CacheModel
import Tracing

/// The span of one operation under way. Ended once, by what came of it.
struct OperationSpan: Sendable {
    private let span: any Span
    /// What the other side is told: that the span asks, where the tracer speaks W3C's words, or
    /// else what the caller has said.
    let trace: TraceContext?

    init(_ span: any Span, _ trace: TraceContext?) {
        self.span = span
        self.trace = trace
    }

    /// Where whatever is done meanwhile belongs.
    var context: ServiceContext { span.context }

    /// A read that was answered; `nil` says that nothing was there.
    func end(with value: CachedValue?) {
        span.attributes["martlet.hit"] = value.map { $0.tier != .origin } ?? false
        if let value { add(value) }
        span.end()
    }

    /// What a load came to; a value that was not stored is right all the same.
    func end(with value: CachedValue) {
        end(with: value as CachedValue?)
    }

    /// Reads of several keys.
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

    /// What changes something, and whether it failed.
    func end(with error: CacheError? = nil) {
        if let error {
            span.attributes["error.type"] = "\(error.code)"
            span.setStatus(SpanStatus(code: .error, message: "\(error.code)"))
        }
        span.end()
    }

    /// An error of somebody else, whose words are not ours to tell.
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
