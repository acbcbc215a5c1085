/// A pressed key.
package enum ConsoleKey: Hashable, Sendable {
    /// A printable character.
    case character(Unicode.Scalar)
    /// With the control key; the letter in lower case.
    case control(Unicode.Scalar)
    case up, down, left, right
    case home, end, pageUp, pageDown
    case enter, escape, backspace, delete, tab
    /// A sequence without a meaning here.
    case unknown
}
