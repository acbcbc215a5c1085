import Synchronization

/// Tells every thread of a run to end, and why. From any thread.
package final class StopSignal: Sendable {
    package enum Reason: UInt8, Sendable {
        /// The run was cancelled, by Ctrl-C.
        case asked = 1
        /// An answer was wrong.
        case violation = 2
        /// A thread could not go on.
        case failure = 3
    }

    private let state = Atomic<UInt8>(0)

    package init() {}

    /// Only the first reason counts.
    package func raise(_ reason: Reason) {
        _ = state.compareExchange(expected: 0, desired: reason.rawValue, ordering: .relaxed)
    }

    package var isRaised: Bool { state.load(ordering: .relaxed) != 0 }
    package var reason: Reason? { Reason(rawValue: state.load(ordering: .relaxed)) }
}
