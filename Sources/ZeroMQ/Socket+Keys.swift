import ByteCoding
import CZeroMQ

/// CURVE, for the bindings and connections made from now on.
extension Socket {
    /// Not in the header of this release, and in its library: a domain is asked about even if it
    /// is empty, and nobody is let in where there is nobody to ask.
    private static let enforceDomain: CInt = 93

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
