/// The page as text, in one of the formats.
extension MetricPage {
    package func text(_ format: MetricFormat) -> String {
        var text = ""
        for entry in entries {
            text += Self.head(of: entry.family, format)
            for sample in entry.samples { text += Self.lines(of: sample, in: entry.family) }
        }
        if format == .openMetrics { text += "# EOF\n" }
        return text
    }

    /// The lines before the samples. The older format has no units and no info type, and names
    /// counters like their samples.
    private static func head(of family: MetricFamily, _ format: MetricFormat) -> String {
        switch format {
        case .prometheus:
            let kind: MetricFamily.Kind = family.kind == .info ? .gauge : family.kind
            let name = family.sampleName
            return "# HELP \(name) \(escaped(family.help, quotes: false))\n"
                + "# TYPE \(name) \(kind.rawValue)\n"
        case .openMetrics:
            let name = family.name
            let unit = family.unit.map { "# UNIT \(name) \($0.rawValue)\n" } ?? ""
            return "# TYPE \(name) \(family.kind.rawValue)\n" + unit
                + "# HELP \(name) \(escaped(family.help, quotes: true))\n"
        }
    }

    private static func lines(of sample: Sample, in family: MetricFamily) -> String {
        guard case .histogram(let histogram) = sample.value else {
            return "\(family.sampleName)\(text(of: sample.labels)) \(sample.value.text)\n"
        }
        var lines = ""
        var total: UInt64 = 0
        let bounds = histogram.bounds.nanoseconds.map { MetricValue.text(Double($0) / 1e9) }
        for (bound, count) in zip(bounds + ["+Inf"], histogram.counts) {
            total += count
            let labels = text(of: sample.labels + [MetricLabel("le", bound)])
            lines += "\(family.name)_bucket\(labels) \(total)\n"
        }
        let labels = text(of: sample.labels)
        lines += "\(family.name)_sum\(labels) \(MetricValue.text(histogram.sumSeconds))\n"
        lines += "\(family.name)_count\(labels) \(total)\n"
        return lines
    }

    private static func text(of labels: [MetricLabel]) -> String {
        if labels.isEmpty { return "" }
        let pairs = labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }
        return "{\(pairs.joined(separator: ","))}"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += #"\\"#
            case "\n": escaped += #"\n"#
            case "\"" where quotes: escaped += #"\""#
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
