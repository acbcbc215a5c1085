import CommandSurface

/// One line on standard error that says what is waited for, if that is a terminal.
struct WaitingLine {
    private let isShown: Bool

    init(isQuiet: Bool = false) {
        isShown = !isQuiet && Console.isErrorTerminal
    }

    func show(_ text: String) {
        if isShown { Console.overwrite("\r\u{1B}[K\(text)") }
    }

    /// Clears the line.
    func finish() {
        if isShown { Console.overwrite("\r\u{1B}[K") }
    }
}
