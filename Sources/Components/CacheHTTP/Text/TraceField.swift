/// Fields that say which request of the outside one belongs to (W3C Trace Context, 2021).
package enum TraceField {
    /// Of requests, and of answers to those that had it.
    package static let parent = "Traceparent"
    package static let state = "Tracestate"
    /// Of every answer: what logs call the request.
    package static let requestID = "Martlet-Request-Id"
}
