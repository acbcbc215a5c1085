import ByteCoding
import CacheHTTP
import Crypto
import CryptoExtras

/// A key and what it verifies with.
struct WebKeyVerifier: Sendable {
    private enum Half: Sendable {
        case rsa(_RSA.Signing.PublicKey)
        case p256(P256.Signing.PublicKey)
        case p384(P384.Signing.PublicKey)
        case p521(P521.Signing.PublicKey)
        case edwards(Curve25519.Signing.PublicKey)
        case secret(SymmetricKey)
    }

    let key: WebKey
    /// What entries that it vouches for have for a key: the hash of all of it, so that another key
    /// of the same name is another.
    let identity: PublicKey
    private let half: Half

    /// - Throws: for a key that is none, such as a point beside its curve.
    init(_ key: WebKey) throws(WebToken.Damage) {
        self.key = key
        identity = TokenHash.hash("\(key)")
        do {
            half = try Self.half(of: key)
        } catch {
            throw WebToken.Damage("key \(key.id.prefix(80)) cannot be used for its alg")
        }
    }

    private static func half(of key: WebKey) throws -> Half {
        switch key.material {
        case .rsa(let modulus, let exponent):
            return .rsa(try _RSA.Signing.PublicKey(n: modulus, e: exponent))
        case .edwards(let x):
            return .edwards(try Curve25519.Signing.PublicKey(rawRepresentation: x))
        case .secret(let bytes): return .secret(SymmetricKey(data: bytes))
        case .curve(let x, let y):
            switch key.algorithm {
            case .es384: return .p384(try P384.Signing.PublicKey(rawRepresentation: x + y))
            case .es512: return .p521(try P521.Signing.PublicKey(rawRepresentation: x + y))
            default: return .p256(try P256.Signing.PublicKey(rawRepresentation: x + y))
            }
        }
    }

    /// Whether it has signed a token, by its own algorithm. Whatever cannot be a signature is not.
    func isRight(_ token: WebToken) -> Bool {
        let digest: any Digest =
            switch key.algorithm {
            case .rs384, .ps384, .es384, .hs384: SHA384.hash(data: token.signed)
            case .rs512, .ps512, .es512, .hs512: SHA512.hash(data: token.signed)
            default: SHA256.hash(data: token.signed)
            }
        do {
            return try isRight(token.signature, digest, token.signed)
        } catch {
            return false
        }
    }

    private func isRight(
        _ signature: [UInt8], _ digest: some Digest, _ signed: [UInt8]
    ) throws -> Bool {
        switch half {
        case .rsa(let key):
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest,
                padding: isPSS ? .PSS : .insecurePKCS1v1_5)
        case .p256(let key):
            return key.isValidSignature(try .init(rawRepresentation: signature), for: digest)
        case .p384(let key):
            return key.isValidSignature(try .init(rawRepresentation: signature), for: digest)
        case .p521(let key):
            return key.isValidSignature(try .init(rawRepresentation: signature), for: digest)
        case .edwards(let key): return key.isValidSignature(signature, for: signed)
        case .secret(let secret): return isCode(signature, secret, of: signed)
        }
    }

    private var isPSS: Bool {
        key.algorithm == .ps256 || key.algorithm == .ps384 || key.algorithm == .ps512
    }

    /// How long it takes does not tell how much of a guess is right.
    private func isCode(_ code: [UInt8], _ secret: SymmetricKey, of signed: [UInt8]) -> Bool {
        switch key.algorithm {
        case .hs384:
            HMAC<SHA384>.isValidAuthenticationCode(code, authenticating: signed, using: secret)
        case .hs512:
            HMAC<SHA512>.isValidAuthenticationCode(code, authenticating: signed, using: secret)
        default:
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: signed, using: secret)
        }
    }
}
