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

    /// Adds a sample without labels.
    package mutating func add(_ family: MetricFamily, _ value: MetricValue) {
        add(family, [], value)
    }

    /// Adds the contents of another page.
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
