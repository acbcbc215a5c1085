import CZeroMQ

/// What is set on every socket before its owner sees it. libzmq's own defaults keep unsent
/// messages for ever, accept frames of any length, and loop without a pause when refused.
enum SocketDefaults {
    static func apply(
        to handle: UnsafeMutableRawPointer, _ kind: Socket.Kind, isKeyed: Bool
    ) throws(ZeroMQError) {
        func set<Value>(_ option: SocketOption<Value>, _ value: Value) throws(ZeroMQError) {
            let payload = option.encode(value, kind)
            try Socket.onTheWire(payload, of: option.code, isKeyed: isKeyed)
                .write(option.code, to: handle)
        }
        func setRaw(_ code: CInt, _ value: CInt) throws(ZeroMQError) {
            try SocketOptionPayload.int32(value).write(code, to: handle)
        }
        try set(.linger, .zero)
        try set(.maxMessageBytes, ZeroMQLimits.frameBytesDefault)
        try set(.handshakeInterval, ZeroMQLimits.handshakeIntervalDefault)
        try set(.connectTimeout, ZeroMQLimits.connectTimeoutDefault)
        try set(.reconnectInterval, ZeroMQLimits.reconnectIntervalDefault)
        try set(.reconnectIntervalMax, ZeroMQLimits.reconnectIntervalMaxDefault)
        try set(.unacknowledgedTime, ZeroMQLimits.unacknowledgedTimeDefault)
        try set(.backlog, ZeroMQLimits.backlogDefault)
        try setRaw(ZMQ_TCP_KEEPALIVE, 1)
        try setRaw(ZMQ_TCP_KEEPALIVE_IDLE, ZeroMQLimits.keepaliveIdleSeconds)
        try setRaw(ZMQ_TCP_KEEPALIVE_INTVL, ZeroMQLimits.keepaliveIntervalSeconds)
        try setRaw(ZMQ_TCP_KEEPALIVE_CNT, ZeroMQLimits.keepaliveProbeCount)
        if kind == .router {
            // Without it a full queue and an unknown peer both look like success.
            try setRaw(ZMQ_ROUTER_MANDATORY, 1)
            // With it, a peer that claims another's name would get the other's replies.
            try setRaw(ZMQ_ROUTER_HANDOVER, 0)
        }
        if kind == .dealer { try set(.immediate, true) }
        if kind.mayReceiveUnlimited { try set(.receiveHighWaterMark, .unlimited) }
    }
}
