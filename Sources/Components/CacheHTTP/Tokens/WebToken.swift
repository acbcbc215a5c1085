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

/// What a JSON web token says, once its signature was found to be right.
package struct WebClaims: Hashable, Sendable {
    /// What a token has to say to be meant for this gateway, now.
    package struct Terms: Hashable, Sendable {
        /// `iss`; `nil`: any issuer with a key there.
        package var issuer: String?
        /// Among `aud`.
        package var audience: String
        package var secondsSince1970: Int

        package init(issuer: String?, audience: String, secondsSince1970: Int) {
            self.issuer = issuer
            self.audience = audience
            self.secondsSince1970 = secondsSince1970
        }
    }

    /// By how much clocks may differ.
    package static let leewaySeconds = 30
    /// Where the rights stand.
    package static let rightsName = "martlet"
    /// Greatest moment that is told apart, in seconds since 1970.
    private static let secondsMax = 1 << 52

    /// `sub`.
    package let subject: String
    /// From when on it does not hold, leeway and all.
    package let endsAt: Int
    package let roles: [String]
    package let patterns: [String]

    /// - Throws: what is wrong, in words for the client.
    package init(_ token: WebToken, _ terms: Terms) throws(WebToken.Damage) {
        let claims = token.claims
        guard let end = try Self.seconds("exp", claims) else {
            throw WebToken.Damage("the token has no exp, and is not taken for ever")
        }
        endsAt = end + Self.leewaySeconds
        guard terms.secondsSince1970 < endsAt else {
            throw WebToken.Damage("the token's time is over: get a new one")
        }
        if let start = try Self.seconds("nbf", claims) {
            guard terms.secondsSince1970 >= start - Self.leewaySeconds else {
                throw WebToken.Damage("the token is not to be used yet, by its nbf")
            }
        }
        if let issuer = terms.issuer {
            guard claims["iss"] == .text(issuer) else {
                throw WebToken.Damage("the token is of another issuer")
            }
        }
        guard Self.names(claims["aud"]).contains(terms.audience) else {
            throw WebToken.Damage("the token's aud does not name this gateway")
        }
        if case .text(let text)? = claims["sub"] { subject = text } else { subject = "" }
        (roles, patterns) = try Self.rights(claims)
    }

    /// `{"roles": ["read"], "patterns": ["images", "sessions/u:"]}`: the words of the list of
    /// tokens.
    private static func rights(
        _ claims: JSONDocument.Members
    ) throws(WebToken.Damage) -> (roles: [String], patterns: [String]) {
        guard case .members(let rights)? = claims[rightsName] else {
            throw WebToken.Damage(
                "the token says nothing of what it may: its \(rightsName) is an object with roles "
                    + "and patterns", isAboutRights: true)
        }
        guard Set(rights.names).isSubset(of: ["roles", "patterns"]),
            let roles = list(rights["roles"]), let patterns = list(rights["patterns"])
        else {
            throw WebToken.Damage(
                "the token's \(rightsName) has roles and patterns, lists of strings, and no more",
                isAboutRights: true)
        }
        return (roles, patterns)
    }

    private static func list(_ document: JSONDocument?) -> [String]? {
        guard case .list(let values)? = document else { return nil }
        var texts: [String] = []
        for value in values {
            guard case .text(let text) = value else { return nil }
            texts.append(text)
        }
        return texts
    }

    /// A string, or a list of them.
    private static func names(_ document: JSONDocument?) -> [String] {
        if case .text(let name)? = document { return [name] }
        return list(document) ?? []
    }

    /// A moment, which may have a fraction.
    private static func seconds(
        _ name: String, _ claims: JSONDocument.Members
    ) throws(WebToken.Damage) -> Int? {
        switch claims[name] {
        case nil: return nil
        case .integer(let value) where (0...secondsMax).contains(value): return value
        case .decimal(let value) where value >= 0 && value <= Double(secondsMax):
            return Int(value)
        default: throw WebToken.Damage("the token's \(name) is no moment, in seconds since 1970")
        }
    }
}
