import CacheModel
import Tracing

/// Operations with their spans. Each does what it does without one, and says more.
extension CacheClient {
    /// A get for a client with a tracer. One that nobody records goes the short way, if it may.
    func tracedGet(
        _ key: CacheKey, _ namespace: Namespace, _ options: ReadOptions, _ tracer: ClientTracer
    ) async throws(CacheError) -> CachedValue? {
        let span = tracer.begin(.get, in: namespace, for: options.trace)
        var options = options
        if let span { options.trace = span.trace }
        do throws(CacheError) {
            let reading = Reading(
                namespace: namespace, options: options, deadline: try deadline(options.timeout))
            let ending =
                options.isPlain
                ? await loop.read(key, in: namespace, reading.flags, deadline: reading.deadline)
                : .untried
            let value = try await goOn(ending, key, reading)
            span?.end(with: value)
            return value
        } catch {
            span?.end(with: error)
            throw error
        }
    }

    /// Runs something as a span of its own.
    ///
    /// - Parameter body: is given what the other side is told.
    func traced<Value>(
        _ span: OperationSpan,
        _ body: (TraceContext?) async throws(CacheError) -> Value
    ) async throws(CacheError) -> Value {
        do throws(CacheError) {
            let value = try await body(span.trace)
            span.end()
            return value
        } catch {
            span.end(with: error)
            throw error
        }
    }
}
