import ByteCoding
package import ZeroMQ

/// Who a client is, to a cluster that asks: a key pair, as `martlet keygen` makes them.
public struct ClientKeys: Sendable {
    package let pair: CurveKeyPair

    /// - Parameters:
    ///   - publicKey: 64 hexadecimal digits; the cluster's lists name it.
    ///   - secretKey: 64 hexadecimal digits. Keep them where other secrets are kept.
    /// - Returns: `nil` if either is something else, or they are not halves of one key.
    public init?(publicKey: String, secretKey: String) {
        guard let publicKey = PublicKey(publicKey),
            let secretKey = HexText.bytes(of: secretKey).flatMap({ CurveSecretKey(bytes: $0) }),
            let pair = CurveKeyPair(publicKey: publicKey, secretKey: secretKey)
        else { return nil }
        self.pair = pair
    }

    /// - Parameter text: of a file that `martlet keygen` wrote.
    /// - Returns: `nil` if it is something else.
    public init?(text: String) {
        do {
            pair = try CurveKeyPair(text: text)
        } catch {
            return nil
        }
    }

    package init(_ pair: CurveKeyPair) { self.pair = pair }
}
