import ByteCoding
import CacheAccess
import CacheModel
import Testing

/// Short words for what the tests say again and again.
enum Sample {
    /// A public key that ends with a number, in its 64 digits.
    static func digits(_ number: Int) -> String {
        let tail = String(number, radix: 16)
        return String(repeating: "0", count: 64 - tail.count) + tail
    }

    static func key(_ number: Int) throws -> PublicKey { try #require(PublicKey(digits(number))) }

    /// Somebody called `web` with these roles, patterns and date.
    static func entry(_ rest: String) throws -> AccessEntry {
        let list = try AccessList(parsing: "web \(digits(1)) \(rest)")
        return try #require(list.entries.first)
    }

    static func table(_ lines: String?...) throws -> AccessTable {
        AccessTable(try lines.map { line in try line.map { try entry($0) } })
    }

    static func namespace(_ name: String) throws -> Namespace { try #require(Namespace(name)) }
}

/// What is wrong with a list; `nil` if nothing is.
func problem(_ text: String) -> AccessListProblem? {
    do throws(AccessListProblem) {
        _ = try AccessList(parsing: text)
        return nil
    } catch {
        return error
    }
}
