public import ByteCoding

/// libzmq's question at a handshake, as RFC 27 of ZeroMQ (ZAP) lays it out.
///
///     version "1.0", request id, domain, address, identity, mechanism, credentials …
public struct ZAPRequest: Sendable {
    let id: [UInt8]
    /// The domain of the socket that the peer connects to.
    public let domain: String
    /// The address of the peer, as the socket sees it: an IP address; for ipc `localhost:` and the
    /// ids of user, group and process, which the kernel vouches for.
    public let address: String
    /// The key that the peer has proven to hold the other half of; `nil` where it showed none.
    public let key: PublicKey?

    /// - Returns: `nil` for frames that are no such request.
    init?(_ frames: [[UInt8]]) {
        guard frames.count >= 6, frames[0] == Array(Self.version.utf8) else { return nil }
        id = frames[1]
        domain = String(decoding: frames[2], as: UTF8.self)
        address = String(decoding: frames[3], as: UTF8.self)
        // The identity is that of our own socket in this libzmq, and says nothing of the peer.
        let isCurve = frames[5] == Array("CURVE".utf8)
        key = isCurve && frames.count == 7 ? PublicKey(bytes: frames[6]) : nil
    }

    static let version = "1.0"
}
