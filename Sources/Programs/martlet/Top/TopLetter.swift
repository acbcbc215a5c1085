import ConsoleCore

/// What reaches the thread that owns the terminal.
enum TopLetter: Sendable {
    case news(ClusterNews)
}
