/// The shell's next action after a key.
package enum ConsoleAction: Hashable, Sendable {
    case nothing
    /// Draw: the contents may have changed.
    case draw
    /// Draw the whole screen anew, because the terminal may show something else.
    case redraw
    /// Suspend the process (ctrl-z).
    case suspend
    case quit
}
