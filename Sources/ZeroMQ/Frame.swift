import CZeroMQ

/// One frame of a message, in memory that libzmq manages.
///
/// Short frames lie inside libzmq's own struct, so that struct stays at one place in the heap for
/// the frame's whole life, and moving a `Frame` moves only a pointer. Make one frame and receive
/// into it again and again; that allocates nothing here.
///
/// A received frame may be a slice of a shared buffer of 8 KiB. Copy what is to be kept.
public struct Frame: ~Copyable {
    let message: UnsafeMutablePointer<zmq_msg_t>

    /// An empty frame, to receive into.
    public init() {
        message = .allocate(capacity: 1)
        message.initialize(to: zmq_msg_t())
        let result = zmq_msg_init(message)
        precondition(result == 0, "an empty frame can always be made")
    }

    /// A frame with a copy of `bytes`.
    public init(copying bytes: UnsafeRawBufferPointer) {
        self.init(byteCount: bytes.count)
        fill(from: bytes)
    }

    /// A frame with a copy of `bytes`.
    public init(copying bytes: [UInt8]) {
        self.init(byteCount: bytes.count)
        bytes.withUnsafeBytes { fill(from: $0) }
    }

    private init(byteCount: Int) {
        message = .allocate(capacity: 1)
        message.initialize(to: zmq_msg_t())
        let result = zmq_msg_init_size(message, byteCount)
        precondition(result == 0, "out of memory for a frame")
    }

    private func fill(from bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        zmq_msg_data(message).copyMemory(from: source, byteCount: bytes.count)
    }

    deinit {
        let result = zmq_msg_close(message)
        precondition(result == 0, "a frame is closed exactly once")
        message.deallocate()
    }

    /// The frame's bytes, valid until it is received into again, sent, or let go of.
    public var bytes: UnsafeRawBufferPointer { message.frameBytes }

    /// Whether more frames of the same message follow this one, which was received.
    public var hasMore: Bool { zmq_msg_more(message) != 0 }

    /// Hands out the frame's bytes, which are valid inside `body` only.
    public func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(bytes)
    }
}

extension UnsafeMutablePointer<zmq_msg_t> {
    /// The bytes of an initialised message; they move and die with it.
    var frameBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: zmq_msg_data(self), count: zmq_msg_size(self))
    }
}
