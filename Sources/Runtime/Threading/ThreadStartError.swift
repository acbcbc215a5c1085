/// The system had no room for another thread. What it was to do has not begun and never will.
package struct ThreadStartError: Error, Equatable, CustomStringConvertible {
    package let code: CInt

    package init(code: CInt) { self.code = code }

    package var description: String { "the system starts no more threads (error \(code))" }
}
