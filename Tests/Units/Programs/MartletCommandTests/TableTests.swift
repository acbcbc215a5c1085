import CommandSurface
import Testing

@testable import martlet

@Suite struct TableTests {
    private var table: Table {
        var table = Table([.left("node"), .right("ms"), .left("state")])
        table.add(["n1", "0.250", .init("applied", .good)])
        table.add(["node17", "–", .init("", .bad)])
        return table
    }

    @Test func columnsAreAlignedAndLinesEndWithoutSpaces() {
        #expect(
            table.text(isColoured: false) == """
                node       ms  state
                n1      0.250  applied
                node17      –

                """)
    }

    @Test func coloursDoNotChangeTheAlignment() {
        let coloured = table.text(isColoured: true)
        #expect(coloured.contains("\u{1B}[32mapplied\u{1B}[0m"))
        let stripped = coloured.replacing(#/\x1B\[[0-9]+m/#, with: "")
        #expect(stripped.split(separator: "\n").first == "node       ms  state")
        #expect(stripped.contains("n1      0.250  applied\n"))
    }

    @Test func widthsStayWhenRowsAreTakenAway() {
        var table = table
        table.removeRows()
        table.add(["n2", "1", "x"])
        #expect(table.text(isColoured: false, hasTitles: false) == "n2          1  x\n")
    }

    @Test func aCellWiderThanItsColumnSticksOut() {
        var table = Table([.left("key", widthMax: 4), .right("b")])
        table.add(["abcdefgh", "1"])
        table.add(["abcd", "2"])
        #expect(table.text(isColoured: false) == "key   b\nabcdefgh  1\nabcd  2\n")
    }
}
