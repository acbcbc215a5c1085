import ByteCoding

/// A JSON web token as it came (RFC 7519), taken apart and not yet believed.
///
///     header.payload.signature ─▶ WebToken ─ key of its name and algorithm ─▶ signature is right
///                                    │                                            │
///                                    └────────── WebClaims: name, end and rights ◀┘
///
/// It is untrusted bytes. The header says which key is to be asked, and never how: the key's
/// own algorithm counts, and a token that names another one is refused.
package struct WebToken: Hashable, Sendable {
    /// Why something is no token, or not one that is taken: a sentence.
    package struct Damage: Error, Hashable, Sendable {
        package let sentence: String
        /// Whether the token is right and may nothing: another one of the same kind will not help.
        package let isAboutRights: Bool

        package init(_ sentence: String, isAboutRights: Bool = false) {
            self.sentence = sentence
            self.isAboutRights = isAboutRights
        }
    }

    package let keyID: String
    package let algorithm: WebAlgorithm
    /// What the signature is of.
    package let signed: [UInt8]
    package let signature: [UInt8]
    let claims: JSONDocument.Members

    /// Whether a text looks like one: others are looked up in the list of tokens.
    package static func isMeant(by text: String) -> Bool {
        text.utf8.count { $0 == UInt8(ascii: ".") } == 2
    }

    package init(_ text: String) throws(Damage) {
        let parts = Array(text.utf8).split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = Base64Text.bytes(ofURLText: parts[2]) else {
            throw Damage("a JSON web token is three parts in base64url with points between them")
        }
        let header = try Self.members(parts[0], "header")
        claims = try Self.members(parts[1], "payload")
        guard case .text(let word)? = header["alg"], let algorithm = WebAlgorithm(rawValue: word)
        else { throw Damage("the token's alg is not accepted") }
        guard case .text(let keyID)? = header["kid"], !keyID.isEmpty else {
            throw Damage("the token's header has no kid, which names the key that signed it")
        }
        // What has to be understood, and is not (RFC 7515, 4.1.11).
        guard header["crit"] == nil else {
            throw Damage("the token's header has crit, and no extension is understood here")
        }
        self.keyID = keyID
        self.algorithm = algorithm
        self.signature = signature
        signed = parts[0] + [UInt8(ascii: ".")] + parts[1]
    }

    private static func members(
        _ part: ArraySlice<UInt8>, _ name: String
    ) throws(Damage) -> JSONDocument.Members {
        guard let bytes = Base64Text.bytes(ofURLText: part) else {
            throw Damage("the token's \(name) is not base64url without padding")
        }
        do throws(JSONReader.Damage) {
            if case .members(let members) = try JSONReader.read(bytes) { return members }
        } catch {
            throw Damage("the token's \(name) is no JSON object: \(error.sentence)")
        }
        throw Damage("the token's \(name) is no JSON object: it is no object")
    }
}
