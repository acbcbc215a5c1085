import ByteCoding
package import ZeroMQ

/// A client's key pair, for a cluster that authenticates clients. `martlet keygen` makes one.
public struct ClientKeys: Sendable {
    package let pair: CurveKeyPair

    /// - Parameters:
    ///   - publicKey: 64 hexadecimal digits; the cluster's access lists name it.
    ///   - secretKey: 64 hexadecimal digits. Keep it where other secrets are kept.
    /// - Returns: `nil` if either is malformed, or they are not halves of one key pair.
    public init?(publicKey: String, secretKey: String) {
        guard let publicKey = PublicKey(publicKey),
            let secretKey = HexText.bytes(of: secretKey).flatMap({ CurveSecretKey(bytes: $0) }),
            let pair = CurveKeyPair(publicKey: publicKey, secretKey: secretKey)
        else { return nil }
        self.pair = pair
    }

    /// - Parameter text: the contents of a file that `martlet keygen` wrote.
    /// - Returns: `nil` if it is malformed.
    public init?(text: String) {
        do {
            pair = try CurveKeyPair(text: text)
        } catch {
            return nil
        }
    }

    package init(_ pair: CurveKeyPair) { self.pair = pair }
}
