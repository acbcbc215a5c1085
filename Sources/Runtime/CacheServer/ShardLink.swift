import ZeroMQ

/// A node's connection to one shard, a peer's or its own, with what could not be sent yet. An
/// object, because a dictionary cannot hold a socket. Lives on the thread that made it.
final class ShardLink {
    let socket: Socket
    /// A peer may turn this node away before it has read of it in its list.
    private var knock: SecondKnock
    /// What could not be sent yet, because there is no connection.
    private var unsent: [[UInt8]] = []
    /// Whether there was a connection when it was last looked at.
    private var isConnected = false
    var pollIndex: PollIndex?

    init(
        _ context: Context, _ endpoint: Endpoint, knock: SecondKnock? = nil
    ) throws(ZeroMQError) {
        self.knock = knock ?? SecondKnock(at: endpoint)
        socket = try Socket(context, .dealer)
        try socket.connect(endpoint)
    }

    /// A connection to where a peer says that it is, which must not end the thread that asks it:
    /// what is wrong with the place is told to `complain`.
    ///
    /// - Returns: `nil` where none can be opened; without a complaint if this process has no
    ///   descriptors left.
    /// - Throws: ``ZeroMQError/isTerminated`` alone.
    static func opened(
        _ context: Context, to place: String, complain: (String) -> Void
    ) throws(ZeroMQError) -> ShardLink? {
        let endpoint: Endpoint
        do {
            endpoint = try Endpoint(place, for: .connecting)
        } catch {
            complain("\(place) is no endpoint: \(error)")
            return nil
        }
        do throws(ZeroMQError) {
            return try ShardLink(context, endpoint)
        } catch {
            guard !error.isTerminated else { throw error }
            if !error.isOutOfDescriptors { complain("\(place): \(error)") }
            return nil
        }
    }

    var isWaitingForRoom: Bool { !unsent.isEmpty }

    func send(_ frame: [UInt8]) throws {
        if !isConnected { try knock.tryAgain(socket) }
        unsent.append(frame)
        try flush()
    }

    /// Sends a frame if there is a connection.
    func probe(_ frame: [UInt8]) throws {
        guard unsent.isEmpty else { return }
        _ = try take(frame)
    }

    func flush() throws {
        while let frame = unsent.first, try take(frame) { unsent.removeFirst() }
    }

    private func take(_ frame: [UInt8]) throws -> Bool {
        let outcome = try frame.withUnsafeBytes { try socket.send($0, more: false) }
        guard outcome == .sent else { return false }
        isConnected = true
        return true
    }

    /// Whether there was a connection and is none now. A socket that is not connected takes no
    /// message.
    func hasBroken() throws(ZeroMQError) -> Bool {
        guard isConnected, try !socket.isWritable else { return false }
        isConnected = false
        return true
    }

    /// What has not been sent is not to be.
    func dropUnsent() {
        unsent.removeAll()
    }
}
