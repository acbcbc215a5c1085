/// The reason why a test or a benchmark cannot continue.
package struct GaveUp: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
