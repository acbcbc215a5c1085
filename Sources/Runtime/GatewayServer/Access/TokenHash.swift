package import ByteCoding
import Cryptography

/// The SHA-256 of a token. The list of tokens has it in the place where a list of keys has a key,
/// in the same 64 digits, so that both have the same grammar and neither contains a secret.
package enum TokenHash {
    package static func hash(_ token: String) -> PublicKey {
        guard let hash = PublicKey(bytes: SHA2.sha256.digest(of: Array(token.utf8))) else {
            preconditionFailure("SHA-256 has 32 bytes")
        }
        return hash
    }
}
