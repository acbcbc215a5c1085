extension Screen {
    /// Writes pieces of different styles one after the other.
    package mutating func put(
        _ spans: [(text: String, style: CellStyle)], row: Int, column: Int = 0
    ) {
        var column = column
        for span in spans { column = put(span.text, row: row, column: column, span.style) }
    }
}
