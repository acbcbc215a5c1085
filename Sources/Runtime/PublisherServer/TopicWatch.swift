import CacheWire

/// Counts the topics of subscribers. libzmq keeps each topic for as long as its subscriber is
/// connected, so a client with a right to listen could fill the memory with topics that no message
/// has.
///
/// Each topic counts for the key that asked for it first, until no subscriber wants it any more: no
/// key is cut off for the topics of others.
struct TopicWatch {
    /// The decision about a subscription.
    enum Verdict: Equatable {
        case fine
        /// There are too many topics, and this key has asked for the most; `nil`: access control is
        /// off.
        case tooMany(of: UInt32?)
    }

    /// Topics that are none of ours, and the key that asked for each first.
    private var owners: [[UInt8]: UInt32?] = [:]
    private var counts: [UInt32?: Int] = [:]

    /// - Parameters:
    ///   - message: 1 and a topic subscribes; 0 and a topic: no subscriber wants it any more.
    ///   - principal: the number of the sender's key; `nil` where access control is off.
    mutating func note(
        _ message: UnsafeRawBufferPointer, by principal: UInt32?
    ) -> Verdict {
        guard let first = message.first, first <= 1 else { return .fine }
        let topic = UnsafeRawBufferPointer(rebasing: message.dropFirst())
        guard !Self.isWanted(topic) else { return .fine }
        let name = [UInt8](topic)
        guard first == 1 else {
            if let owner = owners.removeValue(forKey: name) { counts[owner, default: 1] -= 1 }
            return .fine
        }
        guard owners[name] == nil else { return .fine }
        owners[name] = .some(principal)
        counts[principal, default: 0] += 1
        if counts[principal, default: 0] > PublisherServerLimits.strangeTopicsMax {
            return .tooMany(of: principal)
        }
        guard owners.count > PublisherServerLimits.strangeTopicsTotalMax else { return .fine }
        let most = counts.max { $0.value < $1.value }
        return .tooMany(of: most?.key ?? principal)
    }

    /// Forgets all topics: their connections are closed.
    mutating func forget() { (owners, counts) = ([:], [:]) }

    /// Whether messages are sent under a topic: it is a prefix of one of ours.
    private static func isWanted(_ topic: UnsafeRawBufferPointer) -> Bool {
        [MessageType.records, .heartbeat].contains { type in
            MessageHeader.topic(of: type).starts(with: topic)
        }
    }
}
