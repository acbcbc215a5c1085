/// What a process shows of itself at one moment, for monitoring systems: metric families and their
/// samples, in the order in which they were added.
///
///     figures of STATUS ──FigureTable──┐
///     reports of the minds ────────────┼──▶ MetricPage ──text(.prometheus)──▶ /metrics
///     the process, by a shell ─────────┘               └─text(.openMetrics)─▶
///
/// Minds and shells fill one whenever somebody asks; nothing is kept between two questions, and
/// nothing here knows who asks or how it travels. It is a value that belongs to who makes it. It
/// refuses nothing: that names and labels are right, and that no sample is there twice, is held by
/// the tests of those who fill it.
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

    /// Adds a sample; the first of its family adds that, too.
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

    /// Adds what another page has.
    package mutating func add(_ page: MetricPage) {
        for entry in page.entries {
            let place = begin(entry.family)
            entries[place].samples += entry.samples
        }
    }

    /// Shows the family, also if no sample follows.
    ///
    /// - Returns: where it stands.
    @discardableResult
    package mutating func begin(_ family: MetricFamily) -> Int {
        if let place = places[family.name] { return place }
        places[family.name] = entries.count
        entries.append(Entry(family: family))
        return entries.count - 1
    }

    /// The sample of that family with just these labels; `nil` if there is none.
    package func value(_ name: String, _ labels: [MetricLabel] = []) -> MetricValue? {
        places[name].flatMap { place in
            entries[place].samples.first { $0.labels == labels }?.value
        }
    }
}
