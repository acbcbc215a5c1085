import CZeroMQ
import LibC

extension Socket {
    /// Sends one frame by copying `bytes`, without waiting.
    ///
    /// A message is taken or refused with its first frame: once that is ``SendOutcome/sent``, the
    /// later frames are too. Only a DEALER or PUSH socket can lose its peer between two frames; it
    /// then answers ``SendOutcome/wouldBlock`` in mid-message, the whole message is lost, and its
    /// remaining frames must still be sent (into the void), so that the next one begins afresh.
    ///
    /// - Parameter more: whether another frame of the same message follows.
    /// - Throws: ``ZeroMQError/isTerminated`` if the context is ending. The frame was not sent.
    public func send(
        _ bytes: UnsafeRawBufferPointer, more: Bool
    ) throws(ZeroMQError) -> SendOutcome {
        let flags = ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)
        while zmq_send(handle, bytes.baseAddress, bytes.count, flags) < 0 {
            if let outcome = try Self.outcome(ofFailedSend: zmq_errno()) { return outcome }
        }
        return .sent
    }

    /// Sends one frame without copying it, and without waiting. It is empty afterwards if it was
    /// sent, and untouched otherwise.
    ///
    /// The rules of ``send(_:more:)-(UnsafeRawBufferPointer,_)`` hold here too.
    ///
    /// - Throws: ``ZeroMQError/isTerminated`` if the context is ending. The frame was not sent.
    public func send(_ frame: inout Frame, more: Bool) throws(ZeroMQError) -> SendOutcome {
        let flags = ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)
        while zmq_msg_send(frame.message, handle, flags) < 0 {
            if let outcome = try Self.outcome(ofFailedSend: zmq_errno()) { return outcome }
        }
        return .sent
    }

    /// What an error number of a send means; `nil` for "interrupted by a signal, try again".
    private static func outcome(ofFailedSend code: CInt) throws(ZeroMQError) -> SendOutcome? {
        switch code {
        case EINTR: return nil
        case EAGAIN: return .wouldBlock
        case EHOSTUNREACH: return .unreachable
        default: throw ZeroMQError(errno: code, during: .sending)
        }
    }
}
