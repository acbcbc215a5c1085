import CZeroMQ
import LibC

/// Waits for the first of several sockets and descriptors to be ready.
///
/// It belongs to the thread that owns the sockets. **Every socket must outlive its poller**: the
/// poller knows it by its address alone. Declare the sockets first.
///
/// A poller sees that its context was shut down only if it watches a socket.
public struct Poller: ~Copyable {
    private var items: [zmq_pollitem_t] = []
    /// Kept alive, so that no descriptor is closed while it is waited for.
    private var wakeups: [Wakeup] = []

    public init() {}

    /// Watches a socket, which must outlive the poller.
    public mutating func add(_ socket: borrowing Socket, for events: PollEvents) -> PollIndex {
        append(zmq_pollitem_t(socket: socket.handle, fd: -1, events: events.rawValue, revents: 0))
    }

    /// Watches a wake-up, which is kept alive.
    public mutating func add(_ wakeup: Wakeup) -> PollIndex {
        wakeups.append(wakeup)
        return add(descriptor: wakeup.descriptor, for: .readable)
    }

    /// Watches a plain descriptor, which must stay open as long as the poller.
    public mutating func add(descriptor: CInt, for events: PollEvents) -> PollIndex {
        append(zmq_pollitem_t(socket: nil, fd: descriptor, events: events.rawValue, revents: 0))
    }

    private mutating func append(_ item: zmq_pollitem_t) -> PollIndex {
        precondition(
            items.count < ZeroMQLimits.pollItemCountMax, "a poller watches a bounded number")
        precondition(item.events != 0, "a poller waits for something")
        items.append(item)
        return PollIndex(rawValue: items.count - 1)
    }

    /// Changes what an item is watched for; nothing at all is allowed here.
    public mutating func watch(_ index: PollIndex, for events: PollEvents) {
        items[index.rawValue].events = events.rawValue
    }

    /// Waits until something is ready, or for `timeout`, or until a signal interrupts.
    ///
    /// - Parameter timeout: rounded up to whole milliseconds; zero only looks; `nil` waits for
    ///   ever.
    /// - Returns: how many items are ready. 0 for a timeout and also for an interruption.
    /// - Throws: ``ZeroMQError/isTerminated`` if the context is ending.
    public mutating func wait(timeout: Duration?) throws(ZeroMQError) -> Int {
        precondition(!items.isEmpty, "waiting for nothing would wait for ever")
        let milliseconds = timeout.map { Int($0.wholeMilliseconds) } ?? -1
        let (readyCount, code) = items.withUnsafeMutableBufferPointer { items -> (CInt, CInt) in
            let count = zmq_poll(items.baseAddress, CInt(items.count), milliseconds)
            return (count, count < 0 ? zmq_errno() : 0)
        }
        if readyCount >= 0 { return Int(readyCount) }
        for index in items.indices { items[index].revents = 0 }
        if code == EINTR { return 0 }
        throw ZeroMQError(errno: code, during: .polling)
    }

    /// Whether the last ``wait(timeout:)`` found the item ready. A broken descriptor is ready:
    /// the next read tells what is wrong.
    public func isReady(_ index: PollIndex) -> Bool { items[index.rawValue].revents != 0 }

    /// What the last ``wait(timeout:)`` found the item ready for.
    public func readiness(of index: PollIndex) -> PollEvents {
        PollEvents(rawValue: items[index.rawValue].revents)
    }
}

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

/// Which of a poller's items is meant. It means nothing to another ``Poller``.
public struct PollIndex: Hashable, Sendable {
    let rawValue: Int
}
