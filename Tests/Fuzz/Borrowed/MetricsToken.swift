import CacheModel

/// A secret by which a reader of metrics proves its right to read them.
package struct MetricsToken: Sendable {
    private let bytes: [UInt8]

    /// - Parameter text: blanks and line ends around it do not count.
    /// - Throws: a sentence for people if it is no token.
    package init(_ text: String) throws(HealthStartError) {
        bytes = Array(text.trimmed().utf8)
        guard HealthLimits.tokenBytes.contains(bytes.count),
            bytes.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw .token(
                "a token is \(HealthLimits.tokenBytes.lowerBound) to "
                    + "\(HealthLimits.tokenBytes.upperBound) visible ASCII characters; "
                    + "openssl rand -hex 32 makes one")
        }
    }

    /// Whether an Authorization field shows it. How long that takes does not tell how much of a
    /// guess is right.
    func isShown(by authorization: String?) -> Bool {
        let words = (authorization ?? "").split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else { return false }
        let shown = Array(words[1].utf8)
        var difference = UInt8(shown.count == bytes.count ? 0 : 1)
        for (index, byte) in shown.enumerated() { difference |= byte ^ bytes[index % bytes.count] }
        return difference == 0
    }
}
