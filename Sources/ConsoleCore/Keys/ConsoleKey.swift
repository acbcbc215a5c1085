/// What was pressed.
package enum ConsoleKey: Hashable, Sendable {
    /// One that stands for itself.
    case character(Unicode.Scalar)
    /// With the control key; the letter in lower case.
    case control(Unicode.Scalar)
    case up, down, left, right
    case home, end, pageUp, pageDown
    case enter, escape, backspace, delete, tab
    /// A sequence that means nothing here.
    case unknown
}
