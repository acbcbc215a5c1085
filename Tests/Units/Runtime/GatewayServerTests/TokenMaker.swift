import Cryptography
import Foundation

@testable import ByteCoding

/// Signs web tokens as whoever issues them does, and writes the file of keys.
struct TokenMaker {
    static var now: Int { Int(Date().timeIntervalSince1970) }
    static let rights = #"{"roles":["read","write"],"patterns":["images","sessions/u:"]}"#

    let p256: SigningKey
    let edwards: SigningKey
    let rsa: SigningKey
    let secret = [UInt8](repeating: 0x5A, count: 64)

    init() throws {
        p256 = try SigningKey(.p256)
        edwards = try SigningKey(.ed25519)
        rsa = try Self.sharedRSA.get()
    }

    /// One for all tests: finding its primes takes a tenth of a second.
    private static let sharedRSA = Result { try SigningKey(.rsa) }

    static func text(_ bytes: some Sequence<UInt8>) -> String {
        Base64Text.text(of: Array(bytes)).replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    /// A JWK of each.
    func keys(_ names: [String] = ["es", "ed", "rs", "ps", "hs"]) throws -> String {
        let point = try p256.point()
        let n = Self.text(try rsa.modulus())
        let e = Self.text(try rsa.exponent())
        let all = [
            "es": #""kty":"EC","crv":"P-256","x":"\#(Self.text(point[..<32]))""#
                + #","y":"\#(Self.text(point[32...]))""#,
            "ed": #""kty":"OKP","crv":"Ed25519","x":"\#(Self.text(try edwards.point()))""#,
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
        case "es": try p256.signature(for: bytes, .sha256)
        case "ed": try edwards.signature(for: bytes, nil)
        case "rs": try rsa.signature(for: bytes, .sha256)
        case "ps": try rsa.signature(for: bytes, .sha384, isPSS: true)
        default: try SigningKey.code(for: bytes, secret, .sha512)
        }
    }
}
