import ByteCoding
import CZeroMQ

/// CURVE, for the bindings and connections made from now on.
extension Socket {
    /// Not in the header of this release, and in its library: a domain is asked about even if it
    /// is empty, and nobody is let in where there is nobody to ask.
    private static let enforceDomain: CInt = 93
    /// What CURVE puts around each frame: its name, a number, a mark of authenticity and a flag.
    private static let bytesAround: Int64 = 33

    /// Bounds are for what is inside of frames; libzmq holds them against what is on the wire.
    static func onTheWire(
        _ payload: SocketOptionPayload, of code: CInt, isKeyed: Bool
    ) -> SocketOptionPayload {
        guard isKeyed, code == ZMQ_MAXMSGSIZE, case .int64(let bytes) = payload else {
            return payload
        }
        return .int64(bytes + bytesAround)
    }

    /// Whoever connects has to prove who it is.
    func serve(with keys: CurveKeyPair, _ domain: ZAPDomain) throws(ZeroMQError) {
        try SocketOptionPayload.int32(1).write(ZMQ_CURVE_SERVER, to: handle)
        try SocketOptionPayload.bytes(keys.secretKey.bytes).write(ZMQ_CURVE_SECRETKEY, to: handle)
        try SocketOptionPayload.bytes(Array(domain.rawValue.utf8)).write(
            ZMQ_ZAP_DOMAIN, to: handle)
        try SocketOptionPayload.int32(1).write(Self.enforceDomain, to: handle)
    }

    /// Speaks to the holder of `serverKey` and to nobody else, and proves who it is itself.
    func ask(_ serverKey: PublicKey, with keys: CurveKeyPair) throws(ZeroMQError) {
        try SocketOptionPayload.bytes(serverKey.bytes).write(ZMQ_CURVE_SERVERKEY, to: handle)
        try SocketOptionPayload.bytes(keys.publicKey.bytes).write(ZMQ_CURVE_PUBLICKEY, to: handle)
        try SocketOptionPayload.bytes(keys.secretKey.bytes).write(ZMQ_CURVE_SECRETKEY, to: handle)
    }
}
