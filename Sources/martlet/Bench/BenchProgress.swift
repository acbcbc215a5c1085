import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// How far long work has come, on standard error, if that is a terminal.
struct BenchProgress {
    private let verb: String
    private let total: Int
    private let isShown = isatty(STDERR_FILENO) == 1

    init(_ verb: String, total: Int) {
        self.verb = verb
        self.total = total
    }

    func show(_ done: Int) {
        guard isShown, total > 0 else { return }
        write("\r\(verb): \(done * 100 / total) %")
    }

    /// Clears the line.
    func finish() {
        if isShown { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
