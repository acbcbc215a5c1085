/// The words with which an origin refused a write for good.
package struct WriteRejection: Equatable, Sendable {
    /// As in HTTP; 0 where it was not even asked, because the key cannot stand in its URL.
    package var status: UInt16
    /// The first bytes of what it said, at most ``WriteLimits/wordsBytesMax``.
    package var words: [UInt8]

    package init(status: UInt16, words: [UInt8] = []) {
        self.status = status
        self.words = Array(words.prefix(WriteLimits.wordsBytesMax))
    }
}
