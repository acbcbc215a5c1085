import Foundation
import Testing

@testable import Cryptography

/// A signature with what it is verified with. Not all of them are valid.
struct Sample: Sendable, CustomTestStringConvertible {
    enum Kind: Sendable {
        case secret(SHA2)
        case rsa(RSAPublicKey.Padding, SHA2)
        case curve(EllipticCurvePublicKey.Curve, SHA2)
        case ed25519
    }

    let testDescription: String
    let kind: Kind
    /// A secret, a modulus, a point or the encoding of one.
    var key: [UInt8]
    var message: [UInt8]
    var signature: [UInt8]

    init(_ name: String, _ kind: Kind, key: [UInt8], message: String, signature: [UInt8]) {
        testDescription = name
        self.kind = kind
        self.key = key
        self.message = Array(message.utf8)
        self.signature = signature
    }

    static let all = published + made

    /// Whether the key is one and has made the signature.
    var isValid: Bool {
        guard let verify = try? verifier() else { return false }
        return verify(signature, message)
    }

    /// Verifies with one key however often it is called.
    func verifier() throws -> @Sendable (_ signature: [UInt8], _ message: [UInt8]) -> Bool {
        switch kind {
        case .secret(let hash):
            let secret = HMACSecret(key, hash)
            return { secret.isValidCode($0, for: $1) }
        case .rsa(let padding, let hash):
            let key = try RSAPublicKey(modulus: key, exponent: [1, 0, 1])
            return { key.isValidSignature($0, for: $1, padding, hash) }
        case .curve(let curve, let hash):
            let key = try EllipticCurvePublicKey(curve, point: key)
            return { key.isValidSignature($0, for: $1, hash) }
        case .ed25519:
            let key = try Ed25519PublicKey(key)
            return { key.isValidSignature($0, for: $1) }
        }
    }

    /// The same with another part of it.
    func with<Value>(_ part: WritableKeyPath<Sample, Value>, _ value: Value) -> Sample {
        var copy = self
        copy[keyPath: part] = value
        return copy
    }
}

/// Bytes from hexadecimal digits, over several lines if need be.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

func hex(of bytes: [UInt8]) -> String {
    bytes.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
}

/// Bytes from base64url without padding, over several lines if need be.
func base64URL(_ text: String) -> [UInt8] {
    let letters = text.replacing("\n", with: "").replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - letters.count % 4) % 4)
    return Array(Data(base64Encoded: letters + padding) ?? Data())
}
