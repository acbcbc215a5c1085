import CacheModel
import Tracing

/// Operations with spans. Each does the same as without one.
extension CacheClient {
    /// A get of a client with a tracer. If the tracer does not record it, it may use the fast path.
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

    /// Runs an operation in a span of its own.
    ///
    /// - Parameter body: receives the trace context to send to the other side.
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
