extension StringProtocol {
    /// The text without blanks at both ends. Linear in their number.
    ///
    /// - Parameter isBlank: whether a character is blank; by default whitespace and line ends.
    package func trimmed(_ isBlank: (Character) -> Bool = \.isWhitespace) -> SubSequence {
        guard let first = firstIndex(where: { !isBlank($0) }),
            let last = lastIndex(where: { !isBlank($0) })
        else { return self[endIndex...] }
        return self[first...last]
    }
}
