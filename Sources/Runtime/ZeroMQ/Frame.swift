import CPlatform
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

    /// A frame of `bytes`, which lie in `memory` and are not copied. The memory is the frame's from
    /// now on: whichever thread lets go of it last deallocates it.
    ///
    /// - Parameter memory: made by `allocate`, aligned to 16 bytes at most.
    public init(owning bytes: UnsafeRawBufferPointer, in memory: UnsafeMutableRawPointer) {
        message = .allocate(capacity: 1)
        message.initialize(to: zmq_msg_t())
        martlet_tsan_release(memory)
        let result = zmq_msg_init_data(
            message, UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count,
            { _, memory in
                guard let memory else { return }
                // What libzmq's locks order, the sanitizer cannot see.
                martlet_tsan_acquire(memory)
                memory.deallocate()
            }, memory)
        precondition(result == 0, "out of memory for a frame")
    }

    /// The same, of bytes that are counted until libzmq lets go of them.
    ///
    /// - Parameter weight: as how many they are counted; `nil`: as many as they are.
    public init(
        owning bytes: UnsafeRawBufferPointer, in memory: UnsafeMutableRawPointer,
        countedIn account: UnsentBytes, as weight: Int? = nil
    ) {
        let weight = weight ?? bytes.count
        message = .allocate(capacity: 1)
        message.initialize(to: zmq_msg_t())
        account.add(weight)
        let parcel = Unmanaged.passRetained(CountedMemory(memory, weight, account)).toOpaque()
        martlet_tsan_release(parcel)
        let result = zmq_msg_init_data(
            message, UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count,
            { _, parcel in
                guard let parcel else { return }
                // What libzmq's locks order, the sanitizer cannot see.
                martlet_tsan_acquire(parcel)
                Unmanaged<CountedMemory>.fromOpaque(parcel).takeRetainedValue().letGo()
            }, parcel)
        precondition(result == 0, "out of memory for a frame")
    }

    /// A frame with a copy of `bytes`, which are counted until libzmq lets go of them.
    public init(copying bytes: [UInt8], countedIn account: UnsentBytes) {
        let memory = bytes.withUnsafeBytes { Self.copy(of: $0) }
        self.init(
            owning: UnsafeRawBufferPointer(start: memory, count: bytes.count), in: memory,
            countedIn: account)
    }

    /// The same, of bytes that are counted as `weight`.
    public init(
        copying bytes: UnsafeRawBufferPointer, countedIn account: UnsentBytes, as weight: Int
    ) {
        let memory = Self.copy(of: bytes)
        self.init(
            owning: UnsafeRawBufferPointer(start: memory, count: bytes.count), in: memory,
            countedIn: account, as: weight)
    }

    private static func copy(of bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(1, bytes.count), alignment: 16)
        if let base = bytes.baseAddress {
            memory.copyMemory(from: base, byteCount: bytes.count)
        }
        return memory
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

    /// The number under which the context's ``ZAPHandler`` admitted the sender: see
    /// ``FrameRing/userNumber(at:)``.
    public var userNumber: UInt32? { message.userNumber }

    /// Where the sender is, as the socket that received the frame sees it: an IP address without a
    /// port. `nil` for ipc and inproc. A peer cannot set it.
    public var peerAddress: String? { message.peerAddress }

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

    /// The address of the peer, as libzmq noted it.
    var peerAddress: String? {
        zmq_msg_gets(self, "Peer-Address").map { String(cString: $0) }
    }

    /// The number that a ``ZAPHandler`` gave to the sender.
    var userNumber: UInt32? {
        guard var digit = zmq_msg_gets(self, "User-Id"), digit.pointee != 0 else { return nil }
        var number: UInt32 = 0
        while digit.pointee != 0 {
            // Only our handler's digits get here; anything else is no number.
            let value = UInt8(bitPattern: digit.pointee) &- UInt8(ascii: "0")
            let (tens, isTooLong) = number.multipliedReportingOverflow(by: 10)
            let (next, isTooGreat) = tens.addingReportingOverflow(UInt32(value))
            guard value < 10, !isTooLong, !isTooGreat else { return nil }
            number = next
            digit += 1
        }
        return number
    }
}

/// Memory that a frame owns, and where its bytes are counted.
// Unchecked: nothing of it changes; made by one thread and let go of by another, once, through
// libzmq's queues, so that one thread has it at a time.
final class CountedMemory: @unchecked Sendable {
    private let memory: UnsafeMutableRawPointer
    /// As how many its bytes are counted.
    private let weight: Int
    private let account: UnsentBytes

    init(_ memory: UnsafeMutableRawPointer, _ weight: Int, _ account: UnsentBytes) {
        self.memory = memory
        self.weight = weight
        self.account = account
    }

    /// Gives the memory back, on whichever thread was the last to have it.
    func letGo() {
        memory.deallocate()
        account.subtract(weight)
    }
}
