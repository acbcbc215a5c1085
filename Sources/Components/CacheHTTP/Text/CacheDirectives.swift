/// Cache-Control of a request or of a value that is put (RFC 9111, 5.2), as far as it has a meaning
/// here. Others are passed over, as the RFC has it.
package struct CacheDirectives: Hashable, Sendable {
    package enum Staleness: Hashable, Sendable {
        case any
        case seconds(Int)
    }

    package var isNoCache = false
    package var isNoStore = false
    package var isOnlyIfCached = false
    package var maxAgeSeconds: Int?
    package var sharedMaxAgeSeconds: Int?
    package var maxStale: Staleness?

    /// Greatest number of seconds that is told from others: what is beyond counts as this, and is
    /// longer than any TTL.
    static let secondsMax = 1 << 40
    /// Greatest number of seconds that is said: RFC 9111, 1.2.2.
    static let secondsSaidMax = 1 << 31

    package init() {}

    /// - Throws: a sentence for a directive with an argument that is not what it must be.
    package init(_ text: String) throws(Problem) {
        for part in text.split(separator: ",") {
            let word = part.trimmed
            let name = word.prefix { $0 != "=" }.trimmed.lowercased()
            let argument = word.contains("=") ? word.drop { $0 != "=" }.dropFirst().trimmed : nil
            switch name {
            case "no-cache": isNoCache = true
            case "no-store": isNoStore = true
            case "only-if-cached": isOnlyIfCached = true
            case "max-age": maxAgeSeconds = try Self.seconds(argument, of: name)
            case "s-maxage": sharedMaxAgeSeconds = try Self.seconds(argument, of: name)
            case "max-stale":
                maxStale = argument == nil ? .any : .seconds(try Self.seconds(argument, of: name))
            default: break
            }
        }
    }

    private static func seconds(
        _ argument: Substring?, of name: String
    ) throws(Problem) -> Int {
        var digits = argument ?? ""
        if digits.utf8.count >= 2, digits.hasPrefix("\""), digits.hasSuffix("\"") {
            digits = digits.dropFirst().dropLast()
        }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw Problem(
                .malformedField, "Cache-Control: \(name) is followed by = and whole seconds")
        }
        return min(Int(digits) ?? secondsMax, secondsMax)
    }
}

extension Substring {
    /// Without spaces and tabs around it.
    package var trimmed: Substring {
        var rest = drop { $0 == " " || $0 == "\t" }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return rest
    }
}
