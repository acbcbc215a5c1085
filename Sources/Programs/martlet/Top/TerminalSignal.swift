/// What the system tells a program that owns a terminal.
enum TerminalSignal: Hashable {
    case resized
    /// It is asked to end.
    case ended
    /// It is asked to stand aside.
    case stopped
    /// It was stopped, and goes on.
    case continued
}
