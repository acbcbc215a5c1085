import Crypto
import CryptoExtras
import Foundation

@testable import CacheHTTP

/// Signs web tokens as whoever issues them does, and writes the file of keys.
struct TokenMaker {
    static var now: Int { Int(Date().timeIntervalSince1970) }
    static let rights = #"{"roles":["read","write"],"patterns":["images","sessions/u:"]}"#

    let p256 = P256.Signing.PrivateKey()
    let edwards = Curve25519.Signing.PrivateKey()
    let rsa: _RSA.Signing.PrivateKey
    let secret = [UInt8](repeating: 0x5A, count: 64)

    init() throws { rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    static func text(_ bytes: some Sequence<UInt8>) -> String {
        Base64Text.text(of: Array(bytes)).replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    /// A JWK of each.
    func keys(_ names: [String] = ["es", "ed", "rs", "ps", "hs"]) throws -> String {
        let point = Array(p256.publicKey.rawRepresentation)
        let primitives = try rsa.publicKey.getKeyPrimitives()
        let n = Self.text(primitives.modulus)
        let e = Self.text(primitives.publicExponent)
        let all = [
            "es": #""kty":"EC","crv":"P-256","x":"\#(Self.text(point[..<32]))""#
                + #","y":"\#(Self.text(point[32...]))""#,
            "ed": #""kty":"OKP","crv":"Ed25519","x":""#
                + Self.text(edwards.publicKey.rawRepresentation) + "\"",
            "rs": #""kty":"RSA","alg":"RS256","n":"\#(n)","e":"\#(e)""#,
            "ps": #""kty":"RSA","alg":"PS384","n":"\#(n)","e":"\#(e)""#,
            "hs": #""kty":"oct","alg":"HS512","k":"\#(Self.text(secret))""#,
        ]
        let list = names.map { #"{"kid":"\#($0)",\#(all[$0] ?? "")}"# }
        return #"{"keys":[\#(list.joined(separator: ","))]}"#
    }

    static func claims(
        end: Int = now + 86_400, audience: String = #""martlet""#, more: String = "",
        rights: String = rights
    ) -> String {
        #"{"sub":"web","iss":"us","exp":\#(end),"aud":\#(audience),"martlet":\#(rights)\#(more)}"#
    }

    /// A token with a header of one's own, signed by the key of that name.
    func token(_ key: String, header: String? = nil, _ claims: String = Self.claims()) throws
        -> String
    {
        let words = ["es": "ES256", "ed": "EdDSA", "rs": "RS256", "ps": "PS384", "hs": "HS512"]
        let head = header ?? #"{"alg":"\#(words[key] ?? "")","kid":"\#(key)","typ":"JWT"}"#
        let signed = "\(Self.text(head.utf8)).\(Self.text(claims.utf8))"
        return "\(signed).\(Self.text(try signature(of: Array(signed.utf8), by: key)))"
    }

    private func signature(of bytes: [UInt8], by key: String) throws -> [UInt8] {
        switch key {
        case "es": Array(try p256.signature(for: SHA256.hash(data: bytes)).rawRepresentation)
        case "ed": Array(try edwards.signature(for: bytes))
        case "rs":
            Array(
                try rsa.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5)
                    .rawRepresentation)
        case "ps":
            Array(
                try rsa.signature(for: SHA384.hash(data: bytes), padding: .PSS)
                    .rawRepresentation)
        default:
            Array(
                HMAC<SHA512>.authenticationCode(for: bytes, using: SymmetricKey(data: secret)))
        }
    }
}
