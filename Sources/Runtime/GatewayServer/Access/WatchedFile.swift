import Logging
import Threading

/// A file that is read at intervals. An invalid one changes nothing: the last valid one stays in
/// force.
protocol WatchedFile: Sendable {
    /// Applies changes of the file.
    func look(_ logger: Logger)
}

extension WatchedFile {
    /// Watches the file until the task is cancelled.
    func follow(_ logger: Logger) async {
        while !Task.isCancelled {
            look(logger)
            do {
                try await Task.sleep(for: GatewayLimits.lookInterval)
            } catch {
                return
            }
        }
    }
}

/// Logs each problem of a file once, and its end.
final class FileProblem: Sendable {
    private let kept: String
    private let over: String
    private let last = Guarded("")

    /// - Parameters:
    ///   - kept: message that the last valid file stays in force.
    ///   - over: message that the file is valid again.
    init(kept: String, over: String) { (self.kept, self.over) = (kept, over) }

    /// - Parameter problem: `nil`: the file is valid.
    func note(_ problem: String?, _ logger: Logger) {
        let former = last.withLock { last in
            defer { last = problem ?? "" }
            return last
        }
        guard former != problem ?? "" else { return }
        if let problem {
            logger.error("\(kept): \(problem)")
        } else {
            logger.info("\(over)")
        }
    }
}
