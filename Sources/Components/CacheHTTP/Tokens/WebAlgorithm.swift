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
    var curve: String? {
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
