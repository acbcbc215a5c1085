package import CacheModel

/// When a message of gets to one shard is sent, and which of those that wait goes first.
///
/// | on their way | full | not full |
/// |---|---|---|
/// | fewer than ``ClientLimits/getMessagesAtOnce`` | now | now: nobody is held back for company |
/// | more | now | once fewer are, at the latest ``ClientLimits/getHoldMax`` after it was begun |
/// | ``ClientLimits/getMessagesMax`` | once fewer are | once fewer are |
///
/// Of two that may go, the one that was begun first does. So a get alone is never held, many at
/// once share messages, full ones keep nobody back, and a shard that is slow is not heaped with
/// messages: what it has no room for waits here.
package struct SendWindow: Hashable, Sendable {
    /// One of the messages that wait.
    package enum Next: Hashable, Sendable {
        case full
        case draft
    }

    /// Messages sent and neither answered nor given up.
    package private(set) var inFlightCount = 0

    package init() {}

    private var hasRoom: Bool { inFlightCount < ClientLimits.getMessagesMax }

    /// Which message goes now.
    ///
    /// - Parameters:
    ///   - full: when the first of those that are full was begun; `nil` if there is none.
    ///   - draft: the same of those that are not full.
    /// - Returns: `nil` if all that there are wait.
    package func next(full: Instant?, draft: Instant?, at now: Instant) -> Next? {
        guard hasRoom else { return nil }
        if let draft, mayGo(draft, at: now), draft < full ?? Instant(nanoseconds: .max) {
            return .draft
        }
        return full == nil ? nil : .full
    }

    /// Whether a message that is not full may go.
    private func mayGo(_ begunAt: Instant, at now: Instant) -> Bool {
        inFlightCount < ClientLimits.getMessagesAtOnce
            || begunAt.advanced(by: ClientLimits.getHoldMax) <= now
    }

    /// When a message that is not full goes without an answer; `nil` if no time would let it go.
    ///
    /// - Parameter draft: when it was begun; `nil` if there is none.
    package func holdEnd(draft: Instant?) -> Instant? {
        hasRoom ? draft?.advanced(by: ClientLimits.getHoldMax) : nil
    }

    /// A message was sent.
    package mutating func sent() { inFlightCount += 1 }

    /// One was answered, or given up.
    package mutating func ended() {
        precondition(inFlightCount > 0, "only what was sent can end")
        inFlightCount -= 1
    }
}
