/// A label: distinguishes samples of one family.
package struct MetricLabel: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
