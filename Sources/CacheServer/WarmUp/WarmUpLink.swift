import ZeroMQ

/// One connection to a shard. An object, because a dictionary cannot hold a socket.
final class WarmUpLink {
    let socket: Socket
    /// What waits until it is connected, or until the shard takes more.
    private(set) var unsent: [[UInt8]] = []

    /// - Returns: `nil` if `endpoint` is none.
    init?(_ context: Context, _ endpoint: String) throws(ZeroMQError) {
        guard let place = Self.place(endpoint) else { return nil }
        let socket = try Socket(context, .dealer)
        try socket.connect(place)
        self.socket = socket
    }

    /// Sends it now or when that can be.
    func send(_ message: [UInt8]) throws {
        unsent.append(message)
        try flush()
    }

    /// Sends what can be sent.
    func flush() throws {
        while let message = unsent.first {
            let outcome = try message.withUnsafeBytes { (bytes) throws(ZeroMQError) in
                try socket.send(bytes, more: false)
            }
            guard outcome == .sent else { return }
            unsent.removeFirst()
        }
    }

    private static func place(_ text: String) -> Endpoint? {
        do {
            return try Endpoint(text, for: .connecting)
        } catch {
            return nil
        }
    }
}
