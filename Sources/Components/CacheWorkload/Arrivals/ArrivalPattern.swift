/// How requests of an open loop are spread over time. The raw value is the name in files and flags.
package enum ArrivalPattern: String, CaseIterable, Sendable {
    /// At equal intervals, all threads and connections together.
    case constant
    /// As from many independent callers: the gaps are exponential.
    case poisson
}
