import ByteCoding
import CacheHTTP
import Cryptography

/// A key and its verification function.
struct WebKeyVerifier: Sendable {
    private enum Half: Sendable {
        case rsa(RSAPublicKey)
        case curve(EllipticCurvePublicKey)
        case edwards(Ed25519PublicKey)
        case secret(HMACSecret)
    }

    let key: WebKey
    /// The key of the access entries that it grants: the hash of the whole web key, so that another
    /// key of the same name differs.
    let identity: PublicKey
    private let half: Half

    /// - Throws: for an invalid key, such as a point that is not on its curve.
    init(_ key: WebKey) throws(WebToken.Damage) {
        self.key = key
        identity = TokenHash.hash("\(key)")
        do throws(CryptographyError) {
            half = try Self.half(of: key)
        } catch {
            throw WebToken.Damage("key \(key.id.prefix(80)) cannot be used for its alg")
        }
    }

    private static func half(of key: WebKey) throws(CryptographyError) -> Half {
        switch key.material {
        case .rsa(let modulus, let exponent):
            .rsa(try RSAPublicKey(modulus: modulus, exponent: exponent))
        case .curve(let x, let y):
            .curve(try EllipticCurvePublicKey(curve(of: key.algorithm), point: x + y))
        case .edwards(let x): .edwards(try Ed25519PublicKey(x))
        case .secret(let bytes): .secret(HMACSecret(bytes, hash(of: key.algorithm)))
        }
    }

    private static func curve(of algorithm: WebAlgorithm) -> EllipticCurvePublicKey.Curve {
        switch algorithm {
        case .es384: .p384
        case .es512: .p521
        default: .p256
        }
    }

    private static func hash(of algorithm: WebAlgorithm) -> SHA2 {
        switch algorithm {
        case .rs384, .ps384, .es384, .hs384: .sha384
        case .rs512, .ps512, .es512, .hs512: .sha512
        default: .sha256
        }
    }

    /// Whether it has signed a token, by its own algorithm. `false` for anything that is not a
    /// signature.
    func isRight(_ token: WebToken) -> Bool {
        let hash = Self.hash(of: key.algorithm)
        return switch half {
        case .rsa(let key):
            key.isValidSignature(
                token.signature, for: token.signed, isPSS ? .pss : .pkcs1, hash)
        case .curve(let key): key.isValidSignature(token.signature, for: token.signed, hash)
        case .edwards(let key): key.isValidSignature(token.signature, for: token.signed)
        case .secret(let secret): secret.isValidCode(token.signature, for: token.signed)
        }
    }

    private var isPSS: Bool {
        key.algorithm == .ps256 || key.algorithm == .ps384 || key.algorithm == .ps512
    }
}
