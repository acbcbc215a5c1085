import ByteCoding
import CacheAccess
import Testing
import ZeroMQ

/// Short words for what the tests say again and again.
enum Sample {
    /// A public key that ends with a number, in its 64 digits.
    static func digits(_ number: Int) -> String {
        let tail = String(number, radix: 16)
        return String(repeating: "0", count: 64 - tail.count) + tail
    }

    static func key(_ number: Int) throws -> PublicKey { try #require(PublicKey(digits(number))) }

    static func list(_ lines: String...) throws -> AccessList {
        try AccessList(parsing: lines.joined(separator: "\n"))
    }

    static func line(_ name: String, _ keys: CurveKeyPair, _ rest: String) -> String {
        "\(name) \(keys.publicKey) \(rest)\n"
    }
}
