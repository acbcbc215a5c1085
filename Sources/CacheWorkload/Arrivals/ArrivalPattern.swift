/// How requests of an open loop are spread over time. The raw value is its name in files and
/// flags.
package enum ArrivalPattern: String, CaseIterable, Sendable {
    /// One every so many nanoseconds, all threads and connections together.
    case constant
    /// As from many callers who know nothing of each other: the gaps are exponential.
    case poisson
}
