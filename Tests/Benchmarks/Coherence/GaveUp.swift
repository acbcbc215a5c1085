/// A measurement that could not go on, and why.
struct GaveUp: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
