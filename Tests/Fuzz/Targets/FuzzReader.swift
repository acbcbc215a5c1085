import CacheAccess
import CacheModel

@testable import GatewayCore

/// A subscriber that believes nothing.
struct FuzzReader {
    private let subscription: PushSubscription
    /// Up to where it was told everything; `nil` before it was told where it is.
    private var place: LogPosition?
    private var isGreeted = false
    var waitingBytes = 0

    init(_ subscription: PushSubscription) {
        self.subscription = subscription
        place = subscription.start
    }

    /// - Parameter known: the log, as far as the hub was told of it.
    mutating func take(_ message: PushMessage, of known: [InvalidationRecord]) {
        check(isGreeted != (message.kind == .hello), "a stream begins with a hello, and one only")
        isGreeted = true
        check(!message.text.contains(0x0A), "a message is one line")
        switch message.kind {
        case .hello: break
        case .record: hear(message, of: known)
        case .gone:
            // Records between its place and there may be lost: that is what it is told.
            check(message.position != nil, "who has missed something is told where it is now")
        case .heartbeat, .end:
            if let position = message.position { hasHeard(through: position, of: known) }
        }
        if let position = message.position { place = position }
        if message.kind != .end { waitingBytes += message.bytes }
    }

    private func hear(_ message: PushMessage, of known: [InvalidationRecord]) {
        guard let position = message.position,
            let record = known.last(where: { $0.position == position })
        else { fatalError("a record is told that is not in the log") }
        if let place { check(position > place, "a record is told once, and in order") }
        let scopes = concerning(record)
        check(!scopes.isEmpty, "a record is told to whom it concerns")
        check(message == .record(record, scopes: scopes), "what is told is what it may see")
        guard let before = known.last(where: { $0.position < position }) else { return }
        hasHeard(through: before.position, of: known)
    }

    /// That nothing up to there was passed over.
    func hasHeard(through position: LogPosition, of known: [InvalidationRecord]) {
        guard let place else { return }
        for record in known where record.position > place && record.position <= position {
            check(concerning(record).isEmpty, "no record is passed over in silence")
        }
    }

    private func concerning(_ record: InvalidationRecord) -> [Scope] {
        let whole = Array(record.scopes)
        let shown = subscription.entry?.visible(of: whole) ?? whole
        return shown.filter { scope in subscription.interests.contains { $0.touches(scope) } }
    }
}
