/// One number that a log tells of itself, under the name that STATUS gives it.
package struct LogFigure: Hashable, Sendable {
    package let name: String
    package let value: UInt64

    package init(_ name: String, _ value: UInt64) {
        self.name = name
        self.value = value
    }
}
