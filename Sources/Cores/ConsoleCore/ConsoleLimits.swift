/// All bounds of the screen and of the data kept for it.
package enum ConsoleLimits {
    /// A terminal that says it is larger is drawn to this size.
    package static let columnsMax = 1_000
    package static let rowsMax = 1_100
    /// Bytes of an incomplete key. A longer one is ignored to its end.
    package static let keyBytesMax = 32
    /// How long an ESC may be the beginning of something else.
    package static let escapePatience: Duration = .milliseconds(50)
    /// Characters of a filter.
    package static let filterCharactersMax = 64
    /// Marks that one character may carry; further ones are left out.
    package static let marksMax = 2
    /// Time span of the lines over time.
    package static let historySpan: Duration = .seconds(60)
    package static let historyMomentsMax = 600
    /// Heads to remember with their times, to find how long a node has been behind.
    package static let headsMax = 512
    /// Invalidations kept for the screen.
    package static let streamLinesMax = 500
    package static let scopesShownMax = 8
    package static let lineCharactersMax = 1_000
    /// After so many intervals without an answer, a value is stale.
    package static let staleIntervals = 3

    /// Most bytes that one frame of this size takes: a cursor, a style and a character with its
    /// marks for each cell.
    package static func frameBytesMax(_ size: ScreenSize) -> Int {
        64 + size.rows * size.columns * (10 + 14 + 4 * (1 + marksMax))
    }
}
