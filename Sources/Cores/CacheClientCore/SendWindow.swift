package import CacheModel

/// When a message of gets to one shard is sent, and which waiting message goes first.
///
/// | in flight | full | not full |
/// |---|---|---|
/// | fewer than ``ClientLimits/getMessagesAtOnce`` | now | now: no get waits for others |
/// | more | now | once fewer are, at the latest ``ClientLimits/getHoldMax`` after it was begun |
/// | ``ClientLimits/getMessagesMax`` | once fewer are | once fewer are |
///
/// Of two messages that may go, the older one goes first. So a single get never waits, many gets
/// share messages, and full messages delay no others. A slow shard gets no more messages than its
/// window: further ones wait here.
package struct SendWindow: Hashable, Sendable {
    package enum Next: Hashable, Sendable {
        case full
        case draft
    }

    /// Messages sent and neither answered nor given up.
    package private(set) var inFlightCount = 0

    package init() {}

    private var hasRoom: Bool { inFlightCount < ClientLimits.getMessagesMax }

    /// Chooses the message that is sent now.
    ///
    /// - Parameters:
    ///   - full: when the oldest full message was begun; `nil` if there is none.
    ///   - draft: the same for messages that are not full.
    /// - Returns: `nil` if all messages wait, or there are none.
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

    package mutating func sent() { inFlightCount += 1 }

    /// One was answered, or given up.
    package mutating func ended() {
        precondition(inFlightCount > 0, "only what was sent can end")
        inFlightCount -= 1
    }
}
