import ByteCoding

/// A pair as text: two lines, and lines with `#` that are ignored.
///
///     public-key 9a01… (64 digits)
///     secret-key 77c2… (64 digits)
extension CurveKeyPair {
    /// What is wrong with a text. Shows nothing of it.
    public enum TextProblem: Error, Hashable, Sendable {
        /// A line is missing, twice there, or something else.
        case malformed
        /// The two keys are not halves of one.
        case halvesDiffer
    }

    public init(text: String) throws(TextProblem) {
        var words: [Substring: Substring] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: " ")
            guard let first = parts.first, !first.hasPrefix("#") else { continue }
            guard parts.count == 2, words[first] == nil else { throw .malformed }
            words[first] = parts[1]
        }
        guard let publicText = words["public-key"], let secretText = words["secret-key"],
            let publicKey = PublicKey(publicText),
            let secretKey = HexText.bytes(of: secretText).flatMap({ CurveSecretKey(bytes: $0) })
        else { throw .malformed }
        guard let pair = CurveKeyPair(publicKey: publicKey, secretKey: secretKey) else {
            throw .halvesDiffer
        }
        self = pair
    }

    /// Both lines. A secret.
    public var secretText: String {
        "public-key \(publicKey)\nsecret-key \(HexText.text(of: secretKey.bytes))\n"
    }
}
