import ByteCoding
import CacheHTTP
import Cryptography

/// A key and its verification function.
struct WebKeyVerifier: Sendable {
    let key: WebKey
    /// The key of the access entries that it grants: the hash of the whole web key, so that another
    /// key of the same name differs.
    let identity: PublicKey
    private let check: @Sendable (WebToken) -> Bool

    /// - Throws: for an invalid key, such as a point that is not on its curve.
    init(_ key: WebKey) throws(WebToken.Damage) {
        self.key = key
        identity = TokenHash.hash("\(key)")
        do throws(CryptographyError) {
            check = try Self.check(by: key)
        } catch {
            throw WebToken.Damage("key \(key.id.prefix(80)) cannot be used for its alg")
        }
    }

    /// Whether it has signed a token, by its own algorithm. `false` for anything that is not a
    /// signature.
    func isRight(_ token: WebToken) -> Bool { check(token) }

    private static func check(
        by key: WebKey
    ) throws(CryptographyError) -> @Sendable (WebToken) -> Bool {
        let hash = hash(of: key.algorithm)
        switch key.material {
        case .rsa(let modulus, let exponent):
            let isPSS = [.ps256, .ps384, .ps512].contains(key.algorithm)
            let key = try RSAPublicKey(modulus: modulus, exponent: exponent)
            return {
                key.isValidSignature($0.signature, for: $0.signed, isPSS ? .pss : .pkcs1, hash)
            }
        case .curve(let x, let y):
            let curve = key.algorithm.curve.flatMap(EllipticCurvePublicKey.Curve.init) ?? .p256
            let key = try EllipticCurvePublicKey(curve, point: x + y)
            return { key.isValidSignature($0.signature, for: $0.signed, hash) }
        case .edwards(let x):
            let key = try Ed25519PublicKey(x)
            return { key.isValidSignature($0.signature, for: $0.signed) }
        case .secret(let bytes):
            let secret = HMACSecret(bytes, hash)
            return { secret.isValidCode($0.signature, for: $0.signed) }
        }
    }

    private static func hash(of algorithm: WebAlgorithm) -> SHA2 {
        switch algorithm {
        case .rs384, .ps384, .es384, .hs384: .sha384
        case .rs512, .ps512, .es512, .hs512: .sha512
        default: .sha256
        }
    }
}
