package import ByteCoding
import Cryptography

/// What is known of a token: its SHA-256. The list of tokens has it where a list of keys has a
/// key, in the same 64 digits, so that both are read by the same grammar and neither holds a
/// secret.
package enum TokenHash {
    package static func hash(_ token: String) -> PublicKey {
        guard let hash = PublicKey(bytes: SHA2.sha256.digest(of: Array(token.utf8))) else {
            preconditionFailure("SHA-256 has 32 bytes")
        }
        return hash
    }
}
