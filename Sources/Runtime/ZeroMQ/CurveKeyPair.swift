public import ByteCoding
import CZeroMQ

/// Both halves of a key: what a process shows, and what proves that it may.
public struct CurveKeyPair: Sendable {
    public let publicKey: PublicKey
    public let secretKey: CurveSecretKey

    /// - Returns: `nil` if the two are not halves of one key.
    public init?(publicKey: PublicKey, secretKey: CurveSecretKey) {
        guard Self.publicHalf(of: secretKey) == publicKey else { return nil }
        self.publicKey = publicKey
        self.secretKey = secretKey
    }

    private init(unchecked publicKey: PublicKey, _ secretKey: CurveSecretKey) {
        self.publicKey = publicKey
        self.secretKey = secretKey
    }

    /// A new pair, drawn from the system's randomness.
    public static func generate() throws(ZeroMQError) -> CurveKeyPair {
        var publicText = [CChar](repeating: 0, count: textBytes)
        var secretText = publicText
        try ZeroMQError.calling(during: .makingKeys) {
            zmq_curve_keypair(&publicText, &secretText)
        }
        guard let publicKey = bytes(of: publicText).flatMap({ PublicKey(bytes: $0) }),
            let secretKey = bytes(of: secretText).flatMap({ CurveSecretKey(bytes: $0) })
        else { preconditionFailure("libzmq writes the keys that it makes as it reads them") }
        return CurveKeyPair(unchecked: publicKey, secretKey)
    }

    /// 40 characters of libzmq's own notation, and the final NUL.
    private static let textBytes = 41

    private static func publicHalf(of secretKey: CurveSecretKey) -> PublicKey? {
        var secretText = [CChar](repeating: 0, count: textBytes)
        guard zmq_z85_encode(&secretText, secretKey.bytes, secretKey.bytes.count) != nil else {
            return nil
        }
        var publicText = [CChar](repeating: 0, count: textBytes)
        guard zmq_curve_public(&publicText, &secretText) == 0 else { return nil }
        return bytes(of: publicText).flatMap { PublicKey(bytes: $0) }
    }

    private static func bytes(of text: [CChar]) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: PublicKey.byteCount)
        return zmq_z85_decode(&bytes, text) != nil ? bytes : nil
    }
}

/// A pair as text: two lines, and lines with `#` that are ignored.
///
///     public-key 9a01… (64 digits)
///     secret-key 77c2… (64 digits)
extension CurveKeyPair {
    /// What is wrong with a text. Shows nothing of it.
    public enum TextProblem: Error, Hashable, Sendable {
        /// A line is missing, twice there, or something else.
        case malformed
        case halvesDiffer
    }

    public init(text: String) throws(TextProblem) {
        var words: [Substring: Substring] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: " ")
            guard let first = parts.first, !first.hasPrefix("#") else { continue }
            guard parts.count == 2, words[first] == nil else { throw .malformed }
            words[first] = parts[1]
        }
        guard let publicText = words["public-key"], let secretText = words["secret-key"],
            let publicKey = PublicKey(publicText),
            let secretKey = HexText.bytes(of: secretText).flatMap({ CurveSecretKey(bytes: $0) })
        else { throw .malformed }
        guard let pair = CurveKeyPair(publicKey: publicKey, secretKey: secretKey) else {
            throw .halvesDiffer
        }
        self = pair
    }

    /// Both lines. A secret.
    public var secretText: String {
        "public-key \(publicKey)\nsecret-key \(HexText.text(of: secretKey.bytes))\n"
    }
}
