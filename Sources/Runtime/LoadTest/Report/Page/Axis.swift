/// One axis of a chart: its scale and its labels.
struct Axis {
    struct Tick: Equatable {
        /// 0 at the start of the axis, 1 at its end.
        var position: Double
        var label: String
    }

    var title: String
    var scale: Scale
    var ticks: [Tick]

    init(_ title: String, _ scale: Scale, ticks values: [Double], label: (Double) -> String) {
        self.title = title
        self.scale = scale
        ticks = values.compactMap { value in
            scale.position(value).map { Tick(position: $0, label: label(value)) }
        }
    }

    /// Rates, from zero.
    static func rates(_ title: String, upTo highest: Double) -> Axis {
        let scale = Scale.fromZero(to: highest)
        return Axis(title, scale, ticks: scale.ticks()) { FigureForm.short($0, separator: "") }
    }

    /// Shares of 0 to 100 %.
    static func shares(_ title: String) -> Axis {
        let scale = Scale(kind: .linear, lowest: 0, highest: 1)
        return Axis(title, scale, ticks: [0, 0.25, 0.5, 0.75, 1]) {
            "\(Int(($0 * 100).rounded())) %"
        }
    }

    /// Nanoseconds, on a logarithmic scale that contains all of `values`.
    static func latencies(_ title: String, holding values: [UInt64]) -> Axis {
        let scale = Scale.logarithmic(around: values.map { Double(max($0, 1)) })
        return Axis(title, scale, ticks: scale.ticks()) { value in
            FigureForm.latency(UInt64(value.rounded()))
        }
    }

    /// The rarity of answers, on a logarithmic scale from the fastest.
    static func rarities(upTo highest: Double) -> Axis {
        let scale = Scale(kind: .logarithmic, lowest: 1, highest: max(highest, 100))
        let shares = [
            (1.0, "0 %"), (2, "50 %"), (10, "90 %"), (100, "99 %"), (1e3, "99.9 %"),
            (1e4, "99.99 %"), (1e5, "99.999 %"), (1e6, "99.9999 %"), (1e7, "99.99999 %"),
            (1e8, "99.999999 %"),
        ]
        let values = shares.filter { $0.0 <= scale.highest }
        return Axis("share of answers that were not slower", scale, ticks: values.map(\.0)) {
            value in values.first { $0.0 == value }?.1 ?? ""
        }
    }

    /// Seconds since the run began.
    static func times(from start: Double, to end: Double) -> Axis {
        let scale = Scale(kind: .linear, lowest: start, highest: max(end, start + 0.1))
        let steps = [
            0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600,
        ]
        let wanted = (scale.highest - start) / 8
        let step = steps.first { $0 >= wanted } ?? 43_200
        let first = (start / step - 1e-9).rounded(.up)
        let values = (0...20).map { (first + Double($0)) * step }
            .filter { $0 <= scale.highest + 1e-9 }
        let isLong = scale.highest >= 180
        return Axis(
            "time since the start, \(isLong ? "min:s" : "seconds")", scale, ticks: values
        ) { isLong ? minutes($0) : FigureForm.plain($0) }
    }

    /// `2:05`.
    static func minutes(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded())
        return "\(whole / 60):" + (whole % 60 < 10 ? "0" : "") + "\(whole % 60)"
    }
}
