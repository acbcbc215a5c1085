import CZeroMQ
import LibC

extension Socket {
    /// Receives the next frame, without waiting. What `frame` held before is released either way.
    ///
    /// A message arrives whole: if its first frame is here, ``Frame/hasMore`` tells of others that
    /// are here too.
    ///
    /// - Returns: whether there was one. If not, `frame` is empty.
    /// - Throws: ``ZeroMQError/isTerminated`` if the context is ending. Nothing was received.
    public func receive(into frame: inout Frame) throws(ZeroMQError) -> Bool {
        try receive(into: frame.message)
    }

    /// Whether ``receive(into:)`` would find a frame now.
    ///
    /// - Throws: ``ZeroMQError/isTerminated`` if the context is ending.
    public var isReadable: Bool {
        get throws(ZeroMQError) { try events() & ZMQ_POLLIN != 0 }
    }

    /// Whether the next message could be sent now to at least one peer. Of a ROUTER this says
    /// nothing about any one peer.
    ///
    /// - Throws: ``ZeroMQError/isTerminated`` if the context is ending.
    public var isWritable: Bool {
        get throws(ZeroMQError) { try events() & ZMQ_POLLOUT != 0 }
    }

    func receive(into message: UnsafeMutablePointer<zmq_msg_t>) throws(ZeroMQError) -> Bool {
        while zmq_msg_recv(message, handle, ZMQ_DONTWAIT) < 0 {
            // Read before anything else can run.
            let code = zmq_errno()
            if code == EAGAIN { return false }
            if code != EINTR { throw ZeroMQError(errno: code, during: .receiving) }
        }
        return true
    }

    private func events() throws(ZeroMQError) -> CInt {
        var events: CInt = 0
        var length = MemoryLayout<CInt>.size
        while zmq_getsockopt(handle, ZMQ_EVENTS, &events, &length) != 0 {
            let code = zmq_errno()
            if code != EINTR { throw ZeroMQError(errno: code, during: .readingOption) }
        }
        return events
    }
}
