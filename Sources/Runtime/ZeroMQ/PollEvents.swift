import CZeroMQ

/// What a ``Poller`` waits for.
public struct PollEvents: OptionSet, Hashable, Sendable {
    public let rawValue: Int16

    public init(rawValue: Int16) { self.rawValue = rawValue }

    /// Something can be received.
    public static let readable = PollEvents(rawValue: Int16(ZMQ_POLLIN))
    /// Something can be sent.
    public static let writable = PollEvents(rawValue: Int16(ZMQ_POLLOUT))
    /// A plain descriptor is broken. Waited for always, and counted as ready.
    static let failed = PollEvents(rawValue: Int16(ZMQ_POLLERR))
}
