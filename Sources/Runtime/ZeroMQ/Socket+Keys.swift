import ByteCoding
import CZeroMQ

/// CURVE, for the bindings and connections made from now on.
extension Socket {
    /// Not in the header of this release, but in its library: the handler is asked even about an
    /// empty domain, and no peer is admitted without a handler.
    private static let enforceDomain: CInt = 93
    /// The bytes that CURVE adds to each frame: its name, a number, a mark of authenticity and a
    /// flag.
    private static let bytesAround: Int64 = 33

    /// Bounds are for the contents of frames; libzmq applies them to the bytes on the wire.
    static func onTheWire(
        _ payload: SocketOptionPayload, of code: CInt, isKeyed: Bool
    ) -> SocketOptionPayload {
        guard isKeyed, code == ZMQ_MAXMSGSIZE, case .int64(let bytes) = payload else {
            return payload
        }
        return .int64(bytes + bytesAround)
    }

    /// Each peer that connects has to prove its key.
    func serve(with keys: CurveKeyPair, _ domain: ZAPDomain) throws(ZeroMQError) {
        try SocketOptionPayload.int32(1).write(ZMQ_CURVE_SERVER, to: handle)
        try SocketOptionPayload.bytes(keys.secretKey.bytes).write(ZMQ_CURVE_SECRETKEY, to: handle)
        try SocketOptionPayload.bytes(Array(domain.rawValue.utf8)).write(
            ZMQ_ZAP_DOMAIN, to: handle)
        try SocketOptionPayload.int32(1).write(Self.enforceDomain, to: handle)
    }

    /// Talks to the holder of `serverKey` alone, and proves its own key.
    func ask(_ serverKey: PublicKey, with keys: CurveKeyPair) throws(ZeroMQError) {
        try SocketOptionPayload.bytes(serverKey.bytes).write(ZMQ_CURVE_SERVERKEY, to: handle)
        try SocketOptionPayload.bytes(keys.publicKey.bytes).write(ZMQ_CURVE_PUBLICKEY, to: handle)
        try SocketOptionPayload.bytes(keys.secretKey.bytes).write(ZMQ_CURVE_SECRETKEY, to: handle)
    }
}
