import CacheModel
import CacheWire

/// Messages that are taken only after it is proven that this publisher led when they had arrived.
///
/// With a log that several publishers can lead, another one may lead already. A lease, the head for
/// a strong read, and the last run of a node would then be wrong. So HELLO and PING wait for a
/// confirmation that was asked for after they arrived: docs/decisions/0118.
///
///     HELLO, PING ─▶ hold ─▶ next ─▶ the store is read ─▶ takeConfirmed ─▶ taken as if new
///
/// A peer repeats them, so of one kind only its newest counts, beside one that a confirmation is on
/// its way for. Its ACK and BYE wait behind them: in another order an older position would follow a
/// newer one.
struct Confirmations {
    enum Kind: Hashable {
        case hello
        case lease
        case head
        case ack
        case bye

        /// Whether a message of this kind claims something that another leader may contradict.
        var needsProof: Bool {
            switch self {
            case .hello, .lease, .head: true
            case .ack, .bye: false
            }
        }

        /// - Returns: `nil` for a message that is taken at once.
        init?(_ message: MessageView) throws(WireRefusal) {
            switch message.type {
            case .hello: self = .hello
            case .ping: self = try Ping(decoding: message.body).purpose == .head ? .head : .lease
            case .ack: self = .ack
            case .bye: self = .bye
            default: return nil
            }
        }
    }

    struct Held {
        let frame: [UInt8]
        let sender: RequestSender
        /// The confirmation that it waits for.
        fileprivate let confirmation: UInt64
        fileprivate let order: UInt64
    }

    /// The messages of one kind and peer. One for which a confirmation was asked for is kept until
    /// that arrives, whatever follows: a peer that repeats faster than confirmations come would
    /// never be answered.
    private struct Repeated {
        var asked: Held?
        var newest: Held

        mutating func replace(with next: Held, asked confirmation: UInt64) {
            if asked == nil, newest.confirmation <= confirmation { asked = newest }
            newest = next
        }
    }

    private var held: [PeerID: [Kind: Repeated]] = [:]
    private var heldCount: UInt64 = 0
    /// The confirmation that was asked for last.
    private var asked: UInt64 = 0
    /// Whether a message that needs proof came after it was.
    private var isDue = false

    /// - Returns: `false` if the message need not wait.
    /// - Throws: `busy` if too many do.
    mutating func hold(
        _ frame: UnsafeRawBufferPointer, _ kind: Kind, from sender: RequestSender, now: Instant
    ) throws(WireRefusal) -> Bool {
        let others = held[sender.peer] ?? [:]
        // Behind the last message that needs proof; without one it is taken at once.
        let last = others.filter(\.key.needsProof).map(\.value.newest.confirmation).max()
        guard let confirmation = kind.needsProof ? asked + 1 : last else { return false }
        guard !others.isEmpty || held.count < PublisherLimits.unconfirmedPeersMax else {
            throw WireRefusal(.busy, "too many wait for the proof that this publisher leads")
        }
        heldCount += 1
        var sender = sender
        sender.heldSince = now
        let next = Held(
            frame: Array(frame), sender: sender, confirmation: confirmation, order: heldCount)
        if others[kind] == nil {
            held[sender.peer, default: [:]][kind] = Repeated(newest: next)
        } else {
            held[sender.peer]?[kind]?.replace(with: next, asked: asked)
        }
        isDue = isDue || kind.needsProof
        return true
    }

    /// Another publisher leads: forgets all messages.
    mutating func handOver() -> [Held] {
        defer { self = Confirmations() }
        return takeConfirmed(through: .max)
    }

    /// The number of the confirmation to ask for now; `nil` if none is due.
    mutating func next() -> UInt64? {
        guard isDue else { return nil }
        isDue = false
        asked += 1
        return asked
    }

    /// Removes the messages that waited for this confirmation or an earlier one, in their order.
    mutating func takeConfirmed(through number: UInt64) -> [Held] {
        var taken: [Held] = []
        for (peer, kinds) in held {
            for (kind, var messages) in kinds {
                if let earlier = messages.asked, earlier.confirmation <= number {
                    taken.append(earlier)
                    messages.asked = nil
                }
                let isReady = messages.newest.confirmation <= number
                if isReady { taken.append(messages.newest) }
                held[peer]?[kind] = isReady ? nil : messages
            }
            if held[peer]?.isEmpty == true { held[peer] = nil }
        }
        return taken.sorted { $0.order < $1.order }
    }
}
