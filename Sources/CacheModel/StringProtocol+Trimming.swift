extension StringProtocol {
    /// The text without what is blank at both ends. Linear in the length of that.
    ///
    /// - Parameter isBlank: whether a character is; by default whitespace and line ends.
    package func trimmed(_ isBlank: (Character) -> Bool = \.isWhitespace) -> SubSequence {
        guard let first = firstIndex(where: { !isBlank($0) }),
            let last = lastIndex(where: { !isBlank($0) })
        else { return self[endIndex...] }
        return self[first...last]
    }
}
