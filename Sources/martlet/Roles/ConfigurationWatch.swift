import CacheConfiguration
import Logging

/// Looks at a configuration file once a second, and hands over what it says when that changes.
///
/// By its text, not by its date: editors and mounted volumes replace files in too many ways to
/// trust anything else.
enum ConfigurationWatch {
    private static let interval = Duration.seconds(1)

    static func start(
        _ path: String, from configuration: ClusterConfiguration, logger: Logger,
        _ changed: @escaping @Sendable (ClusterConfiguration) -> Void
    ) {
        Task {
            var current = configuration
            var lastProblem = ""
            while true {
                try await Task.sleep(for: interval)
                do {
                    let found = try ConfigurationFile.read(path)
                    lastProblem = ""
                    guard found.revision != current.revision else { continue }
                    current = found
                    logger.info("\(path) has changed and is taken over")
                    changed(found)
                } catch {
                    guard "\(error)" != lastProblem else { continue }
                    lastProblem = "\(error)"
                    logger.error("\(path) has changed, and the last configuration stays: \(error)")
                }
            }
        }
    }
}
