package import CacheModel

/// Detects a shard that does not answer, by its silence while it owes an answer.
///
///     answering ──quietMax──▶ quiet ──silenceMax──▶ suspect ──┐ probe, ever more rarely
///         ▲   requests go out   │ a probe; requests  │ requests └─▶ …
///         │                     │ wait here          │ fail at once
///         └────── heard ◀───────┴────────────────────┘
///
/// A shard answers a probe at once, whatever else it does: a probe waits for no disk and no origin.
/// So silence after a probe means a silent process or network, never one slow request. Only a frame
/// from the shard ends a silence. A request that is given up does not end it: a client with short
/// timeouts would never detect the silence.
///
/// Time in which the client itself did not run – a suspended machine, a busy thread – does not
/// count as silence. After a late check the shard has ``ClientLimits/quietMax`` more, with another
/// probe.
///
/// Sans-I/O: the caller passes the time.
package struct AnswerWatch: Hashable, Sendable {
    package enum Standing: Hashable, Sendable {
        /// It answers, or owes nothing.
        case answering
        /// It has owed an answer for longer than a shard needs, and was sent a probe.
        case quiet
        /// It gets nothing but probes until it sends a frame.
        case suspect
    }

    package enum Action: Hashable, Sendable {
        /// Send a request that any shard answers at once.
        case probe
        /// It is suspect from now on: requests for it go elsewhere or fail.
        case fellSilent
    }

    package private(set) var standing = Standing.answering
    /// Messages that were sent and neither answered nor given up.
    private var openCount = 0
    /// Since when it owes a frame; `nil` while it owes none.
    private var owesSince: Instant?
    private var nextProbe: Instant?
    private var pause = ClientLimits.probePause
    /// Whether the topology says that the publisher does not hear the node, and no frame of the
    /// shard has arrived since.
    private var isSaidAway = false
    /// Whether it is a publisher, and others may lead in its place: docs/protocol.md 8.6.
    package var isOneOfSeveral = false

    package init() {}

    package var takesRequests: Bool { standing == .answering }

    package mutating func sent(at now: Instant) {
        openCount += 1
        if owesSince == nil { owesSince = now }
    }

    /// A message was answered, or given up.
    package mutating func ended() {
        precondition(openCount > 0, "only what was sent can end")
        openCount -= 1
    }

    /// A frame arrived, with any contents. If it answers a message, call this after ``ended()``.
    package mutating func heard(at now: Instant) {
        standing = .answering
        owesSince = openCount > 0 ? now : nil
        nextProbe = nil
        pause = ClientLimits.probePause
        isSaidAway = false
    }

    /// A topology arrived. It only shortens the limit; the shard's own silence decides.
    ///
    /// - Parameter state: of the node, as the publisher sees it.
    package mutating func isSaid(_ state: NodeState?) {
        isSaidAway = state == nil || state == .suspect
    }

    private var silenceMax: Duration {
        if isOneOfSeveral { return ClientLimits.publisherSilenceMax }
        return isSaidAway ? ClientLimits.silenceOfAwayMax : ClientLimits.silenceMax
    }

    /// When ``look(at:)`` has something to do; `nil` if nothing is owed.
    package var due: Instant? {
        switch standing {
        case .answering:
            owesSince?.advanced(by: isSaidAway ? .zero : ClientLimits.quietMax)
        case .quiet: owesSince?.advanced(by: silenceMax)
        case .suspect: nextProbe
        }
    }

    /// The action to perform at `now`; `nil` if there is none.
    package mutating func look(at now: Instant) -> Action? {
        guard let due, due <= now else { return nil }
        let isOwnAbsence = now.elapsed(since: due) > ClientLimits.ownAbsenceMin
        switch standing {
        case .quiet where !isOwnAbsence:
            standing = .suspect
            nextProbe = now.advanced(by: pause)
            return .fellSilent
        case .quiet:
            owesSince = now.reversed(by: silenceMax - ClientLimits.quietMax)
            return .probe
        case .answering:
            standing = .quiet
            if isOwnAbsence { owesSince = now.reversed(by: ClientLimits.quietMax) }
            return .probe
        case .suspect:
            pause = min(pause * 2, ClientLimits.probePauseMax)
            nextProbe = now.advanced(by: pause)
            return .probe
        }
    }
}
