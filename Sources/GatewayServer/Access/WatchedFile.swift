import Logging
import Threading

/// A file that is looked at again and again. A wrong one changes nothing: the last right one stays
/// in force.
protocol WatchedFile: Sendable {
    /// Takes over what has changed.
    func look(_ logger: Logger)
}

extension WatchedFile {
    /// Looks at the file until the task is cancelled.
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

/// Logs each problem of a file once, and that it is over.
final class FileProblem: Sendable {
    private let kept: String
    private let over: String
    private let last = Guarded("")

    /// - Parameters:
    ///   - kept: says that the last right file stays in force.
    ///   - over: says that the file is right again.
    init(kept: String, over: String) { (self.kept, self.over) = (kept, over) }

    /// - Parameter problem: `nil`: the file is right.
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
