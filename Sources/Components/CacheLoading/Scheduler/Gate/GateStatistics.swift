package import CacheModel

/// Counters and state of the gate of one namespace. A plain value: copy it, subtract two, print
/// one.
package struct GateStatistics: Equatable, Sendable {
    package enum Breaker: UInt8, Sendable {
        case closed = 0
        case halfOpen = 1
        /// Also when its pause is over and no load has been asked for since.
        case open = 2
    }

    // Counters, since the namespace was given its origin.

    /// Loads requested. Each is answered, failed, cancelled, waiting or in flight.
    package var asked = 0
    package var started = 0
    package var retried = 0
    /// Loads that ended with a reply, of any status.
    package var answered = 0
    package var cancelled = 0
    package var opened = 0
    private var failures = [Int](
        repeating: 0, count: 1 + Int(LoadFailure.allCases.map(\.rawValue).max() ?? 0))

    // Current state.

    /// Attempts at the origin, aborted ones included.
    package var inFlight = 0
    /// Loads that wait for a turn or rest.
    package var waiting = 0
    package var limit = 0
    package var breaker = Breaker.closed

    package init() {}

    /// Loads that ended without a reply, by cause.
    package subscript(failure: LoadFailure) -> Int { failures[Int(failure.rawValue)] }
    package var failed: Int { failures.reduce(0, +) }
    /// Refused because too many loads waited, or because they got no turn in time.
    package var shed: Int { self[.overloaded] }
    package var broken: Int { self[.broken] }

    mutating func note(_ answer: LoadAnswer) {
        switch answer {
        case .reply: answered += 1
        case .failed(let failure, _): failures[Int(failure.rawValue)] += 1
        }
    }
}
