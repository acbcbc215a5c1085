/// The metrics of a process at one moment, for monitoring systems: metric families and their
/// samples, in the order in which they were added.
///
///     figures of STATUS ──FigureTable──┐
///     reports of the cores ────────────┼──▶ MetricPage ──text(.prometheus)──▶ /metrics
///     the process, by a shell ─────────┘               └─text(.openMetrics)─▶
///
/// Cores and shells fill a page for each request; nothing is kept between two requests. The page
/// knows nothing of the requester or the transport. It is a value that belongs to its maker. It
/// refuses nothing. The tests of the modules that fill it check that names and labels are valid,
/// and that no sample is there twice.
package struct MetricPage: Hashable, Sendable {
    package struct Sample: Hashable, Sendable {
        package let labels: [MetricLabel]
        package let value: MetricValue
    }

    package struct Entry: Hashable, Sendable {
        package let family: MetricFamily
        package fileprivate(set) var samples: [Sample] = []
    }

    package private(set) var entries: [Entry] = []
    private var places: [String: Int] = [:]

    package init() {}

    /// Adds a sample; the first sample of a family adds the family, too.
    package mutating func add(
        _ family: MetricFamily, _ labels: [MetricLabel], _ value: MetricValue
    ) {
        let place = begin(family)
        entries[place].samples.append(Sample(labels: labels, value: value))
    }

    package mutating func add(_ family: MetricFamily, _ value: MetricValue) {
        add(family, [], value)
    }

    package mutating func add(_ page: MetricPage) {
        for entry in page.entries {
            let place = begin(entry.family)
            entries[place].samples += entry.samples
        }
    }

    /// Adds a family, also without samples.
    ///
    /// - Returns: its index.
    @discardableResult
    package mutating func begin(_ family: MetricFamily) -> Int {
        if let place = places[family.name] { return place }
        places[family.name] = entries.count
        entries.append(Entry(family: family))
        return entries.count - 1
    }

    /// The sample of that family with exactly these labels; `nil` if there is none.
    package func value(_ name: String, _ labels: [MetricLabel] = []) -> MetricValue? {
        places[name].flatMap { place in
            entries[place].samples.first { $0.labels == labels }?.value
        }
    }
}

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
