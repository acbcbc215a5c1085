/// An origin's final refusal of a write.
package struct WriteRejection: Equatable, Sendable {
    /// As in HTTP; 0 if the origin was not asked, because the key is not valid in its URL.
    package var status: UInt16
    /// The first bytes of its answer, at most ``WriteLimits/wordsBytesMax``.
    package var words: [UInt8]

    package init(status: UInt16, words: [UInt8] = []) {
        self.status = status
        self.words = Array(words.prefix(WriteLimits.wordsBytesMax))
    }
}
