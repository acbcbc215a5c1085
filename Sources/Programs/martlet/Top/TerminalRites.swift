import ConsoleCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What is done for the terminal when this program traps: it would be left raw, without a cursor.
///
/// One for the process. The handlers do what a handler may: write, tcsetattr, and raise again, so
/// that the end is told as it would have been.
enum TerminalRites {
    private static let numbers = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGSEGV, SIGFPE]

    // Read by a handler on whichever thread traps. Each of these is filled before the handlers are
    // there and only read after it: unchecked for that reason.

    /// As the terminal was. Unchecked, see above.
    nonisolated(unsafe) private static let saved = UnsafeMutablePointer<termios>.allocate(
        capacity: 1)
    /// What gives the screen back. Unchecked, see above.
    nonisolated(unsafe) private static let bytes = UnsafeMutablePointer<UInt8>.allocate(
        capacity: ScreenPainter.leave.count)
    /// Where to. Unchecked, see above.
    nonisolated(unsafe) private static var places: (output: Int32, input: Int32) = (-1, -1)
    /// Of ``bytes``. Unchecked, see above.
    nonisolated(unsafe) private static var count = 0

    static func prepare(output: Int32, input: Int32, _ attributes: termios) {
        saved.initialize(to: attributes)
        let leave = ScreenPainter.leave
        for (index, byte) in leave.enumerated() { (bytes + index).initialize(to: byte) }
        places = (output, input)
        count = leave.count
        for number in numbers {
            signal(number) { number in
                signal(number, SIG_DFL)
                _ = write(TerminalRites.places.output, TerminalRites.bytes, TerminalRites.count)
                tcsetattr(TerminalRites.places.input, TCSANOW, TerminalRites.saved)
                raise(number)
            }
        }
    }

    static func withdraw() { numbers.forEach { signal($0, SIG_DFL) } }
}
