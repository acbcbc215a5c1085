import CacheWire

/// Looks at what subscribers ask for. libzmq keeps each topic for as long as whoever asked is
/// there, so that somebody with a right to listen could fill the memory with topics that nothing
/// is ever said of.
struct TopicWatch {
    private var strangeCount = 0

    /// - Parameter subscription: 1 and a topic; anything else asks for nothing.
    /// - Returns: whether there are more topics by now than anybody can want.
    mutating func note(_ subscription: UnsafeRawBufferPointer) -> Bool {
        guard subscription.first == 1 else { return false }
        let topic = UnsafeRawBufferPointer(rebasing: subscription.dropFirst())
        if !Self.isWanted(topic) { strangeCount += 1 }
        return strangeCount > PublisherServerLimits.strangeTopicsMax
    }

    /// Everything that was asked for is gone.
    mutating func forget() { strangeCount = 0 }

    /// Whether something is said of a topic: it begins one of ours.
    private static func isWanted(_ topic: UnsafeRawBufferPointer) -> Bool {
        [MessageType.records, .heartbeat].contains { type in
            MessageHeader.topic(of: type).starts(with: topic)
        }
    }
}
