/// A metric: one name, one meaning, one unit; its samples differ in their labels alone.
package struct MetricFamily: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// Only ever grows, from 0 at the start of the process.
        case counter
        /// Goes up and down.
        case gauge
        case histogram
        /// Always 1: what matters are its labels.
        case info
    }

    package enum Unit: String, Hashable, Sendable {
        case seconds
        case bytes
    }

    /// Without the endings that kinds have, such as `_total`.
    package let name: String
    package let kind: Kind
    /// The last word of the name; `nil` where things are counted.
    package let unit: Unit?
    /// One sentence for people.
    package let help: String

    /// The unit is what the name ends with.
    package init(_ kind: Kind, _ name: String, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
        unit = [Unit.seconds, .bytes].first { name.hasSuffix("_\($0.rawValue)") }
    }

    /// The name that its samples have, and that queries name; a histogram's samples add their
    /// endings to it.
    package var sampleName: String {
        switch kind {
        case .counter: name + "_total"
        case .info: name + "_info"
        case .gauge, .histogram: name
        }
    }
}
