/// One chart with its axes and its text alternatives: a summary and a table.
///
/// The lines are drawn in a square of 1000 by 1000 that is stretched to the available size. All
/// labels are text around it, so that they stay readable on a telephone, too.
struct Chart {
    struct Line {
        var name: String
        /// One of the page's line styles, 1 … 6, or one with a meaning.
        var style: String
        /// In the order of time; `nil` for unknown values: the line has a gap there.
        var points: [Point?]
        /// Whether the area below the line is tinted.
        var isFilled = false
        /// Drawn as separate dots.
        var isDots = false
        /// A single dot of the same line, away from it.
        var dot: Point?

        /// Whether the line shows nothing.
        var isEmpty: Bool { dot == nil && points.allSatisfy { $0 == nil } }
    }

    struct Point {
        var x: Double
        var y: Double
    }

    /// A named range of the x axis.
    struct Band {
        var name: String
        var from: Double
        var to: Double
        /// Shaded: not part of the measurement.
        var isAside: Bool
    }

    /// A position on the x axis that a reader must see.
    struct Mark {
        var name: String
        var x: Double
    }

    /// The text at the reader's pointer: a title, then a text for each line.
    struct Reading {
        var x: Double
        var title: String
        var values: [String]
    }

    var id: String
    var title: String
    /// The text alternative of the drawing.
    var summary: String
    var x: Axis
    var y: Axis
    var lines: [Line] = []
    var bands: [Band] = []
    var marks: [Mark] = []
    var readings: [Reading] = []
    /// A short note below the chart; empty for none.
    var note = ""

    /// The commands that draw the single dot of a line.
    func dotPath(_ line: Line) -> String? { place(line.dot).map { "M\($0)h0" } }

    /// The commands that draw a line: a run of points is a line, a single point a dot.
    func path(_ line: Line) -> String {
        var text = ""
        var isOpen = false
        for (index, point) in line.points.enumerated() {
            guard let place = place(point) else {
                isOpen = false
                continue
            }
            if isOpen && !line.isDots {
                text += "L\(place)"
                continue
            }
            let next = index + 1 < line.points.count ? line.points[index + 1] : nil
            text += "M\(place)"
            // A line of length zero with round ends is a dot.
            if line.isDots || self.place(next) == nil { text += "h0" }
            isOpen = true
        }
        return text
    }

    /// The tinted areas below a line, one for each run of points.
    func fillPath(_ line: Line) -> String {
        var text = ""
        var run: [Point] = []
        for point in line.points + [nil] {
            if let point, place(point) != nil {
                run.append(point)
                continue
            }
            if run.count > 1, let first = run.first, let last = run.last {
                let top = run.compactMap(place).joined(separator: "L")
                text += "M\(across(first.x)) 1000L\(top)L\(across(last.x)) 1000Z"
            }
            run = []
        }
        return text
    }

    private func place(_ point: Point?) -> String? {
        guard let point, x.scale.position(point.x) != nil, let up = y.scale.position(point.y) else {
            return nil
        }
        return across(point.x) + " " + Self.thousandths(1 - up)
    }

    private func across(_ value: Double) -> String {
        Self.thousandths(x.scale.position(value) ?? 0)
    }

    /// 0 … 1 as 0 … 1000 with one decimal.
    static func thousandths(_ share: Double) -> String {
        let tenths = Int((share * 10_000).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    /// 0 … 1 as a percentage for a style.
    static func percent(_ share: Double) -> String {
        FigureForm.decimal(max(0, share) * 100, digits: 2) + "%"
    }
}
