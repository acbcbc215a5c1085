/// What a shell is to do after a key.
package enum ConsoleAction: Hashable, Sendable {
    case nothing
    /// What is shown may have changed.
    case draw
    /// Draw all of it anew, because the terminal may show something else.
    case redraw
    /// Stand aside for the shell that started it.
    case suspend
    case quit
}
