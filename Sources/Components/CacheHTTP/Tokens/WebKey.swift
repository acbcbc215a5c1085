import ByteCoding

/// A key that web tokens are signed with, as a JWK tells it (RFC 7517): the half that verifies, or
/// a secret.
package struct WebKey: Hashable, Sendable {
    package enum Material: Hashable, Sendable {
        case rsa(modulus: [UInt8], exponent: [UInt8])
        case curve(x: [UInt8], y: [UInt8])
        case edwards(x: [UInt8])
        case secret([UInt8])
    }

    package let id: String
    package let algorithm: WebAlgorithm
    package let material: Material

    /// Most keys of a file.
    package static let countMax = 64
    /// Longest file, in bytes.
    package static let fileBytesMax = 256 << 10
    /// Bits of an RSA key.
    static let modulusBytes = 256...1_024

    /// Whether readers of the file could make tokens.
    package var isSecret: Bool {
        if case .secret = material { true } else { false }
    }

    /// Reads a JWKS: `{"keys": [{"kty": …, "kid": …, "alg": …, …}, …]}`. Keys for something else,
    /// and by algorithms that are not taken, are passed over (RFC 7517, 5): issuers have such.
    ///
    /// - Returns: the others, and why each of those was passed over.
    /// - Throws: the first key that is wrong, and why; or why there is none.
    package static func set(
        _ bytes: [UInt8]
    ) throws(WebToken.Damage) -> (keys: [WebKey], passedOver: [String]) {
        let document: JSONDocument
        do throws(JSONReader.Damage) {
            document = try JSONReader.read(bytes)
        } catch {
            throw WebToken.Damage("at byte \(error.offset) \(error.sentence)")
        }
        guard case .members(let members) = document, case .list(let list)? = members["keys"] else {
            throw WebToken.Damage("it is no JWKS: an object with a list called keys")
        }
        guard (1...countMax).contains(list.count) else {
            throw WebToken.Damage("it has \(list.count) keys, and 1 to \(countMax) are taken")
        }
        var keys: [WebKey] = []
        var passedOver: [String] = []
        for (place, value) in list.enumerated() {
            do throws(WebToken.Damage) {
                let key: WebKey
                switch try read(value) {
                case .key(let read): key = read
                case .foreign(let why):
                    passedOver.append("key \(place + 1): \(why)")
                    continue
                }
                guard !keys.contains(where: { $0.id == key.id }) else {
                    throw WebToken.Damage("another key has the same kid")
                }
                keys.append(key)
            } catch {
                throw WebToken.Damage("key \(place + 1): \(error.sentence)")
            }
        }
        if keys.isEmpty, let why = passedOver.first { throw WebToken.Damage(why) }
        return (keys, passedOver)
    }

    /// What one of them is.
    private enum Reading {
        case key(WebKey)
        /// None of those that are taken, and why.
        case foreign(String)
    }

    private static func read(_ document: JSONDocument) throws(WebToken.Damage) -> Reading {
        guard case .members(let members) = document else {
            throw WebToken.Damage("it is no object")
        }
        // A half that signs does not belong here: its only use would be to be stolen.
        guard members["d"] == nil else {
            throw WebToken.Damage("it is a private key (d): only the issuer may have it")
        }
        guard members["use"] ?? .text("sig") == .text("sig") else {
            return .foreign("its use is not sig")
        }
        guard let algorithm = try algorithm(members) else {
            let known = WebAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
            return .foreign("its alg is none of \(known)")
        }
        guard let id = members.text("kid"), !id.isEmpty else {
            throw WebToken.Damage("it has no kid")
        }
        return .key(
            WebKey(
                id: id, algorithm: algorithm, material: try material(algorithm, members)))
    }

    /// `alg`, or the one that there is for its curve; `nil` if it is not taken here.
    private static func algorithm(
        _ members: JSONDocument.Members
    ) throws(WebToken.Damage) -> WebAlgorithm? {
        let type = members.text("kty")
        let curve = members.text("crv")
        if members["alg"] == nil, let curve {
            let fitting = WebAlgorithm.allCases.first { $0.curve == curve && $0.keyType == type }
            if let fitting { return fitting }
        }
        guard let algorithm = members.text("alg").flatMap({ WebAlgorithm(rawValue: $0) }) else {
            return nil
        }
        guard algorithm.keyType == type, algorithm.curve == curve else {
            throw WebToken.Damage("its kty or crv is not that of \(algorithm.rawValue)")
        }
        return algorithm
    }

    private static func material(
        _ algorithm: WebAlgorithm, _ members: JSONDocument.Members
    ) throws(WebToken.Damage) -> Material {
        func part(_ name: String) throws(WebToken.Damage) -> [UInt8] {
            guard let text = members.text(name), !text.isEmpty,
                let bytes = Base64Text.bytes(ofURLText: Array(text.utf8)[...])
            else { throw WebToken.Damage("its \(name) is not base64url without padding") }
            return bytes
        }
        switch algorithm.keyType {
        case "RSA":
            let modulus = try part("n")
            guard modulusBytes.contains(modulus.drop { $0 == 0 }.count) else {
                throw WebToken.Damage("an RSA key has 2048 to 8192 bits")
            }
            return .rsa(modulus: modulus, exponent: try part("e"))
        case "EC": return .curve(x: try part("x"), y: try part("y"))
        case "OKP": return .edwards(x: try part("x"))
        default:
            let secret = try part("k")
            guard secret.count >= algorithm.secretBytesMin else {
                throw WebToken.Damage(
                    "a secret for \(algorithm.rawValue) has \(algorithm.secretBytesMin) bytes at "
                        + "least")
            }
            return .secret(secret)
        }
    }
}

extension JSONDocument.Members {
    /// A member that is a string.
    func text(_ name: String) -> String? {
        if case .text(let text)? = self[name] { text } else { nil }
    }
}

/// How a JSON web token may be signed (RFC 7518, RFC 8037). `none` is not among them.
package enum WebAlgorithm: String, CaseIterable, Sendable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case eddsa = "EdDSA"
    case hs256 = "HS256"
    case hs384 = "HS384"
    case hs512 = "HS512"

    /// What `kty` of its keys is.
    var keyType: String {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: "RSA"
        case .es256, .es384, .es512: "EC"
        case .eddsa: "OKP"
        case .hs256, .hs384, .hs512: "oct"
        }
    }

    /// What `crv` of its keys is; `nil` where there is none.
    package var curve: String? {
        switch self {
        case .es256: "P-256"
        case .es384: "P-384"
        case .es512: "P-521"
        case .eddsa: "Ed25519"
        default: nil
        }
    }

    /// Fewest bytes of a secret: as many as its digest has.
    var secretBytesMin: Int {
        switch self {
        case .hs384: 48
        case .hs512: 64
        default: 32
        }
    }
}
