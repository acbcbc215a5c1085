extension Chart {
    /// The whole figure: title, legend, drawing, table.
    func write(to page: inout Markup) {
        page.element("figure", ["class": "chart", "id": id]) { page in
            page.element("figcaption", title)
            legend(&page)
            page.element("div", ["class": "frame"]) { page in
                page.element("div", ["class": "ytitle"], y.title)
                page.element("div", ["class": "plot", "data-readings": readingText]) { page in
                    yLabels(&page)
                    bandLabels(&page)
                    drawing(&page)
                }
                xLabels(&page)
                page.element("div", ["class": "xtitle"], x.title)
            }
            if !note.isEmpty { page.element("p", ["class": "note"], note) }
            table(&page)
        }
    }

    private func legend(_ page: inout Markup) {
        page.element("ul", ["class": "legend"]) { page in
            for (index, line) in lines.enumerated() {
                page.element("li", ["data-line": "\(index)"]) { page in
                    page.element(
                        "svg", ["viewBox": "0 0 26 10", "class": "key", "aria-hidden": "true"]
                    ) { page in
                        let path = line.isDots ? "M13 5h0" : "M1 5H25"
                        page.empty("path", ["d": path, "class": Self.styles(line)])
                    }
                    page.write(line.name)
                }
            }
            if bands.contains(where: \.isAside) {
                key("M0 0H26V10H0Z", "aside", "warm-up, not counted", &page)
            }
            if let mark = marks.first { key("M13 0V10", "mark", mark.name, &page) }
        }
    }

    private func key(
        _ path: String, _ style: String, _ name: String, _ page: inout Markup
    ) {
        page.element("li") { page in
            page.element(
                "svg", ["viewBox": "0 0 26 10", "class": "key", "aria-hidden": "true"]
            ) { page in
                page.empty("path", ["d": path, "class": style])
            }
            page.write(name)
        }
    }

    private func yLabels(_ page: inout Markup) {
        for tick in y.ticks {
            page.element(
                "span", ["class": "y", "style": "top:\(Self.percent(1 - tick.position))"],
                tick.label)
        }
    }

    private func xLabels(_ page: inout Markup) {
        page.element("div", ["class": "xs"]) { page in
            for (index, tick) in x.ticks.enumerated() {
                // Every second label is left out on a narrow screen.
                let rank = index % 2 == 1 ? "x odd" : "x"
                page.element(
                    "span", ["class": rank, "style": "left:\(Self.percent(tick.position))"],
                    tick.label)
            }
        }
    }

    private func bandLabels(_ page: inout Markup) {
        for band in bands {
            guard let from = x.scale.position(band.from), let to = x.scale.position(band.to) else {
                continue
            }
            let place = "left:\(Self.percent(from));width:\(Self.percent(to - from))"
            page.element(
                "span", ["class": "band", "style": place, "title": band.name], band.name)
        }
    }

    private func drawing(_ page: inout Markup) {
        page.element(
            "svg",
            [
                "viewBox": "0 0 1000 1000", "preserveAspectRatio": "none", "role": "img",
                "aria-label": "\(title). \(summary)",
            ]
        ) { page in
            ground(&page)
            for line in lines where line.isFilled {
                page.empty("path", ["d": fillPath(line), "class": "fill \(line.style)"])
            }
            for (index, line) in lines.enumerated() {
                page.empty(
                    "path",
                    ["d": path(line), "class": Self.styles(line), "data-line": "\(index)"])
                if let dot = dotPath(line) {
                    page.empty(
                        "path",
                        ["d": dot, "class": "line \(line.style) dots", "data-line": "\(index)"])
                }
            }
            for mark in marks {
                let place = Self.thousandths(x.scale.position(mark.x) ?? 0)
                page.element("path", ["d": "M\(place) 0V1000", "class": "mark"]) { page in
                    page.element("title", mark.name)
                }
            }
        }
    }

    private func ground(_ page: inout Markup) {
        for band in bands {
            guard let from = x.scale.position(band.from), let to = x.scale.position(band.to) else {
                continue
            }
            if band.isAside {
                page.empty(
                    "rect",
                    [
                        "x": Self.thousandths(from), "y": "0",
                        "width": Self.thousandths(to - from), "height": "1000", "class": "aside",
                    ])
            }
            page.empty("path", ["d": "M\(Self.thousandths(from)) 0V1000", "class": "edge"])
        }
        for tick in y.ticks {
            let place = Self.thousandths(1 - tick.position)
            page.empty("path", ["d": "M0 \(place)H1000", "class": "grid"])
        }
        for tick in x.ticks {
            let place = Self.thousandths(tick.position)
            page.empty("path", ["d": "M\(place) 0V1000", "class": "grid faint"])
        }
        page.empty("path", ["d": "M0 1000H1000", "class": "base"])
    }

    /// What the script shows at the pointer. An entry is a place and its texts, separated by `|`;
    /// entries are separated by `;`.
    private var readingText: String {
        readings.compactMap { reading in
            x.scale.position(reading.x).map { place in
                ([Self.percent(place), reading.title] + reading.values).joined(separator: "|")
            }
        }.joined(separator: ";")
    }

    private func table(_ page: inout Markup) {
        guard !readings.isEmpty else { return }
        page.element("details") { page in
            page.element("summary", "The same as a table")
            PageTable(
                [x.title] + lines.map(\.name), rows: readings.map { [$0.title] + $0.values }
            ).write(to: &page)
        }
    }

    private static func styles(_ line: Line) -> String {
        line.isDots ? "line \(line.style) dots" : "line \(line.style)"
    }
}
