import CZeroMQ
import LibC

/// A socket option, with the one Swift type it takes.
///
/// Options act on the bindings and connections made after them. Values out of range are refused
/// by a precondition: they are mistakes of the program, not of its input.
public struct SocketOption<Value>: Sendable {
    let code: CInt
    let encode: @Sendable (Value, Socket.Kind) -> SocketOptionPayload
}

/// What libzmq is handed for one option.
enum SocketOptionPayload: Hashable, Sendable {
    case int32(CInt)
    case int64(Int64)
    case bytes([UInt8])

    /// Writes the option. Allocates nothing for numbers.
    func write(_ code: CInt, to handle: UnsafeMutableRawPointer) throws(ZeroMQError) {
        try ZeroMQError.calling(during: .settingOption) {
            switch self {
            case .int32(var raw):
                zmq_setsockopt(handle, code, &raw, MemoryLayout<CInt>.size)
            case .int64(var raw):
                zmq_setsockopt(handle, code, &raw, MemoryLayout<Int64>.size)
            case .bytes(let bytes):
                bytes.withUnsafeBytes { zmq_setsockopt(handle, code, $0.baseAddress, $0.count) }
            }
        }
    }
}

extension SocketOption where Value == Int {
    /// Most messages queued for one peer, from 1. libzmq reads 0 as "no limit"; this refuses it.
    public static var sendHighWaterMark: Self {
        Self(code: ZMQ_SNDHWM) { count, _ in
            precondition(
                (1...ZeroMQLimits.highWaterMarkMax).contains(count),
                "a send queue has an end: an unlimited one hides a slow peer")
            return .int32(CInt(count))
        }
    }

    /// Longest frame accepted, in bytes. A longer one cuts the connection; its sender is told
    /// nothing and connects again, so senders must know the bound themselves. A message
    /// may have any number of frames.
    public static var maxMessageBytes: Self {
        Self(code: ZMQ_MAXMSGSIZE) { count, _ in
            precondition(
                (1...ZeroMQLimits.frameBytesMax).contains(count),
                "a frame has a longest length: an unlimited one is a memory bomb")
            return .int64(Int64(count))
        }
    }

    /// Connections the kernel holds until they are accepted.
    public static var backlog: Self {
        Self(code: ZMQ_BACKLOG) { count, _ in
            precondition((1...65_535).contains(count), "a backlog holds at least one connection")
            return .int32(CInt(count))
        }
    }
}

extension SocketOption where Value == ReceiveHighWaterMark {
    /// Most received messages waiting, per peer; beyond it the peer is held back.
    public static var receiveHighWaterMark: Self {
        Self(code: ZMQ_RCVHWM) { mark, kind in
            switch mark {
            case .unlimited:
                precondition(
                    kind.mayReceiveUnlimited, "only a SUB or DEALER socket may queue without end")
                return .int32(0)
            case .messages(let count):
                precondition(
                    (1...ZeroMQLimits.highWaterMarkMax).contains(count),
                    "a bounded receive queue holds at least one message")
                return .int32(CInt(count))
            }
        }
    }
}

extension SocketOption where Value == Duration {
    /// How long closing may wait for unsent messages, up to ``ZeroMQLimits/lingerMax``.
    public static var linger: Self {
        Self(code: ZMQ_LINGER) { duration, _ in
            precondition(
                duration <= ZeroMQLimits.lingerMax, "closing waits a bounded time for its peers")
            return .int32(duration.wholeMilliseconds)
        }
    }

    /// How long a peer may take over its greeting before it is cut off. Not zero.
    public static var handshakeInterval: Self { nonzero(ZMQ_HANDSHAKE_IVL) }

    /// How long one attempt to connect may take. Not zero.
    public static var connectTimeout: Self { nonzero(ZMQ_CONNECT_TIMEOUT) }

    /// First pause before connecting again. Not zero.
    public static var reconnectInterval: Self { nonzero(ZMQ_RECONNECT_IVL) }

    /// Longest pause before connecting again. Not zero: that would mean no back-off.
    public static var reconnectIntervalMax: Self { nonzero(ZMQ_RECONNECT_IVL_MAX) }

    /// How long sent bytes may stay unacknowledged before a tcp connection is given up. Not zero.
    public static var unacknowledgedTime: Self { nonzero(ZMQ_TCP_MAXRT) }

    private static func nonzero(_ code: CInt) -> Self {
        Self(code: code) { duration, _ in
            precondition(duration > .zero, "libzmq reads zero as no limit at all")
            return .int32(duration.wholeMilliseconds)
        }
    }
}

extension SocketOption where Value == Bool {
    /// Whether messages queue only for connections that stand. Without it a DEALER or PUSH socket
    /// queues for peers that may never come.
    public static var immediate: Self { flag(ZMQ_IMMEDIATE) { _ in true } }

    /// Whether an XPUB socket receives every subscription rather than each topic's first and last.
    public static var xpubVerbose: Self { flag(ZMQ_XPUB_VERBOSE) { $0 == .xpub } }

    private static func flag(
        _ code: CInt, suits: @escaping @Sendable (Socket.Kind) -> Bool
    ) -> Self {
        Self(code: code) { isOn, kind in
            precondition(suits(kind), "this kind of socket has no such option")
            return .int32(isOn ? 1 : 0)
        }
    }
}

extension SocketOption where Value == [UInt8] {
    /// Adds a subscription; see ``Socket/subscribe(prefix:)``.
    static var subscribe: Self { topic(ZMQ_SUBSCRIBE) }

    /// Removes a subscription; see ``Socket/unsubscribe(prefix:)``.
    static var unsubscribe: Self { topic(ZMQ_UNSUBSCRIBE) }

    private static func topic(_ code: CInt) -> Self {
        Self(code: code) { prefix, kind in
            precondition(kind == .sub, "only a SUB socket subscribes")
            precondition(
                prefix.count <= ZeroMQLimits.subscriptionBytesMax,
                "a longer subscription would be lost without a word")
            return .bytes(prefix)
        }
    }
}

/// How many received messages may wait for the socket's owner, per peer, before the peer has to
/// wait.
public enum ReceiveHighWaterMark: Hashable, Sendable {
    /// At most this many, 1 to ``ZeroMQLimits/highWaterMarkMax``.
    case messages(Int)
    /// Any number. Only for SUB and DEALER sockets, if the owner drains them at once into a bound
    /// of its own; elsewhere a peer could fill the memory.
    case unlimited
}
