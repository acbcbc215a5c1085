/// A table of a report: the first column names a row, the others are numbers.
struct PageTable {
    struct Cell: ExpressibleByStringLiteral {
        var text: String
        /// A row that a reader must not overlook.
        var isBad = false

        init(_ text: String, isBad: Bool = false) {
            self.text = text
            self.isBad = isBad
        }

        init(stringLiteral value: String) { self.init(value) }
    }

    let titles: [String]
    let rows: [[Cell]]
    /// Columns after the first with words instead of numbers.
    var wordColumns: Set<Int> = []

    init(_ titles: [String], rows: [[Cell]]) {
        self.titles = titles
        self.rows = rows
    }

    init(_ titles: [String], rows: [[String]]) {
        self.init(titles, rows: rows.map { row in row.map { Cell($0) } })
    }

    func write(to page: inout Markup) {
        page.element("div", ["class": "scroll"]) { page in
            page.element("table") { page in
                page.element("thead") { page in
                    page.element("tr") { page in
                        for (index, title) in titles.enumerated() {
                            page.element("th", ["scope": "col", "class": kind(index)], title)
                        }
                    }
                }
                page.element("tbody") { page in
                    for row in rows { write(row, to: &page) }
                }
            }
        }
    }

    private func write(_ row: [Cell], to page: inout Markup) {
        page.element("tr") { page in
            for (index, cell) in row.enumerated() {
                let kind = kind(index) + (cell.isBad ? " bad" : "")
                if index == 0 {
                    page.element("th", ["scope": "row", "class": kind], cell.text)
                } else {
                    page.element("td", ["class": kind], cell.text)
                }
            }
        }
    }

    private func kind(_ column: Int) -> String {
        column == 0 || wordColumns.contains(column) ? "word" : "figure"
    }
}
