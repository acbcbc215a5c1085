/// The size of a terminal, in cells; at least one, and at most ``ConsoleLimits``.
package struct ScreenSize: Hashable, Sendable {
    package let columns: Int
    package let rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = min(max(columns, 1), ConsoleLimits.columnsMax)
        self.rows = min(max(rows, 1), ConsoleLimits.rowsMax)
    }
}
