import CacheWire

/// Messages that are taken only after it is proven that this publisher led when they had arrived.
///
/// With a log that several publishers can lead, another one may lead already. A lease, the head for
/// a strong read, and the last run of a node would then be wrong. So HELLO and PING wait for a
/// confirmation that was asked for after they arrived: docs/decisions/0118.
///
///     HELLO, PING ─▶ hold ─▶ next ─▶ the store is read ─▶ takeConfirmed ─▶ taken as if they came now
///
/// A peer repeats them, so of one kind only its newest counts. Its ACK and BYE wait behind them: in
/// another order an older position would follow a newer one.
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

    private var held: [PeerID: [Kind: Held]] = [:]
    private var heldCount: UInt64 = 0
    /// The confirmation that was asked for last.
    private var asked: UInt64 = 0
    /// Whether a message came after it was.
    private var isDue = false

    /// - Returns: `false` if the message need not wait.
    /// - Throws: `busy` if too many do.
    mutating func hold(
        _ frame: UnsafeRawBufferPointer, _ kind: Kind, from sender: RequestSender
    ) throws(WireRefusal) -> Bool {
        let others = held[sender.peer]
        guard kind.needsProof || others != nil else { return false }
        guard others != nil || held.count < PublisherLimits.unconfirmedPeersMax else {
            throw WireRefusal(.busy, "too many wait for the proof that this publisher leads")
        }
        heldCount += 1
        held[sender.peer, default: [:]][kind] = Held(
            frame: Array(frame), sender: sender, confirmation: asked + 1, order: heldCount)
        isDue = true
        return true
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
        for (peer, messages) in held {
            let ready = messages.filter { $0.value.confirmation <= number }
            taken += ready.values
            let left = messages.filter { $0.value.confirmation > number }
            held[peer] = left.isEmpty ? nil : left
        }
        return taken.sorted { $0.order < $1.order }
    }
}
