/// A metric: one name, one meaning, one unit. Its samples differ only in their labels.
package struct MetricFamily: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// Only ever grows, from 0 at the start of the process.
        case counter
        /// Goes up and down.
        case gauge
        case histogram
        /// Always 1: only its labels matter.
        case info
    }

    package enum Unit: String, Hashable, Sendable {
        case seconds
        case bytes
    }

    /// Without the suffixes of kinds, such as `_total`.
    package let name: String
    package let kind: Kind
    /// The last word of the name; `nil` for counts.
    package let unit: Unit?
    /// One sentence for people.
    package let help: String

    /// The unit is the end of the name.
    package init(_ kind: Kind, _ name: String, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
        unit = [Unit.seconds, .bytes].first { name.hasSuffix("_\($0.rawValue)") }
    }

    /// The name of its samples, for queries; a histogram's samples add their suffixes.
    package var sampleName: String {
        switch kind {
        case .counter: name + "_total"
        case .info: name + "_info"
        case .gauge, .histogram: name
        }
    }
}
