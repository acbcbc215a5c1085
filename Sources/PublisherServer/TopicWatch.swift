import CacheWire

/// Looks at what subscribers ask for. libzmq keeps each topic for as long as whoever asked is
/// there, so that somebody with a right to listen could fill the memory with topics that nothing
/// is ever said of.
///
/// Each topic counts for the key that asked for it first, until nobody wants it any more: nobody is
/// cut off for what others ask for.
struct TopicWatch {
    /// What is to be done about a subscription.
    enum Verdict: Equatable {
        case fine
        /// There are too many topics, and this key has asked for the most; `nil`: nobody is asked
        /// who they are.
        case tooMany(of: UInt32?)
    }

    /// Topics that are none of ours, and who asked for each.
    private var owners: [[UInt8]: UInt32?] = [:]
    private var counts: [UInt32?: Int] = [:]

    /// - Parameters:
    ///   - message: 1 and a topic subscribes; 0 and a topic says that nobody wants it any more.
    ///   - principal: the key of who says it; `nil` where nobody is asked.
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

    /// Everything that was asked for is gone.
    mutating func forget() { (owners, counts) = ([:], [:]) }

    /// Whether something is said of a topic: it begins one of ours.
    private static func isWanted(_ topic: UnsafeRawBufferPointer) -> Bool {
        [MessageType.records, .heartbeat].contains { type in
            MessageHeader.topic(of: type).starts(with: topic)
        }
    }
}
