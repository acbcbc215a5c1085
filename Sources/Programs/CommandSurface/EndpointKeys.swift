#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Keys behind endpoints, in sentences for people.
package enum EndpointKeys {
    private static let mark = "?key="
    private static let digitsShown = 8
    private static let digits = 64

    /// The same sentence, with the first digits of each key alone: enough to tell them apart.
    package static func shortened(_ sentence: String) -> String {
        var parts = sentence.components(separatedBy: mark)
        for index in parts.indices.dropFirst() {
            let key = parts[index].prefix(digits)
            guard key.count == digits, key.allSatisfy(\.isHexDigit) else { continue }
            parts[index] = key.prefix(digitsShown) + "…" + parts[index].dropFirst(digits)
        }
        return parts.joined(separator: mark)
    }
}
