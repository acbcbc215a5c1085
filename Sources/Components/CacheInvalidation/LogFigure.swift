/// One counter of a log, under its name in STATUS.
package struct LogFigure: Hashable, Sendable {
    package let name: String
    package let value: UInt64

    package init(_ name: String, _ value: UInt64) {
        self.name = name
        self.value = value
    }
}
