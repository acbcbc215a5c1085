import CZeroMQ

/// A fixed number of received frames that all stay valid until their place is received into again.
///
/// An owner fills places during a turn, looks at all of them, answers, and begins at place 0 in
/// its next turn. Nothing is allocated after the ring is made.
public struct FrameRing: ~Copyable {
    public let capacity: Int
    private let messages: UnsafeMutablePointer<zmq_msg_t>

    /// A ring of empty frames.
    ///
    /// - Parameter capacity: 1 to ``ZeroMQLimits/ringFrameCountMax``.
    public init(capacity: Int) {
        precondition(
            (1...ZeroMQLimits.ringFrameCountMax).contains(capacity),
            "a ring holds at least one frame, and not absurdly many")
        self.capacity = capacity
        messages = .allocate(capacity: capacity)
        messages.initialize(repeating: zmq_msg_t(), count: capacity)
        for index in 0..<capacity {
            let result = zmq_msg_init(messages + index)
            precondition(result == 0, "an empty frame can always be made")
        }
    }

    deinit {
        for index in 0..<capacity {
            let result = zmq_msg_close(messages + index)
            precondition(result == 0, "a frame is closed exactly once")
        }
        messages.deallocate()
    }

    /// Receives the socket's next frame into a place, without waiting. What the place held before
    /// is released either way.
    ///
    /// - Returns: whether there was one. If not, the place is empty.
    /// - Throws: ``ZeroMQError/isTerminated`` if the context is ending. Nothing was received.
    public mutating func receive(
        at index: Int, from socket: borrowing Socket
    ) throws(ZeroMQError) -> Bool {
        try socket.receive(into: message(at: index))
    }

    /// The bytes of the frame at a place, valid until that place is received into or the ring is
    /// let go of. Receiving elsewhere in the ring does not touch them.
    public func bytes(at index: Int) -> UnsafeRawBufferPointer {
        message(at: index).frameBytes
    }

    /// Whether more frames of the same message follow the one at a place.
    public func hasMore(at index: Int) -> Bool {
        zmq_msg_more(message(at: index)) != 0
    }

    /// The number under which the context's ``ZAPHandler`` admitted the sender of the frame at a
    /// place; `nil` if there is none, because no handler was asked.
    ///
    /// Read it from a message's last frame: this libzmq sometimes loses it for the first. And only
    /// in a context with keys: without a handler a peer may claim any number.
    public func userNumber(at index: Int) -> UInt32? {
        message(at: index).userNumber
    }

    /// Where the sender of the frame at a place is: see ``Frame/peerAddress``.
    public func peerAddress(at index: Int) -> String? {
        message(at: index).peerAddress
    }

    private func message(at index: Int) -> UnsafeMutablePointer<zmq_msg_t> {
        precondition(index >= 0 && index < capacity, "a frame is asked for inside its ring")
        return messages + index
    }
}
