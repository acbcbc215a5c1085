import CacheConfiguration
import CommandSurface
import Logging
import Synchronization
import SystemPackage

/// A configuration as a file on this machine.
enum ConfigurationFile {
    static func read(_ path: String) throws -> ClusterConfiguration {
        try CommandFailure.wrapping { try ConfigurationReading.read(path) }
    }
}

/// Reads a configuration file and keeps its problems apart, so that each can be told by itself.
enum ConfigurationReading {
    /// The configuration that the file at `path` says.
    ///
    /// - Throws: ``ConfigurationErrors`` for what is wrong in it, and ``CommandFailure`` if it
    ///   cannot be read.
    static func read(_ path: String) throws -> ClusterConfiguration {
        try ClusterConfiguration.parse(try bytes(path), fileName: path)
    }

    /// At most one byte more than a configuration may have: a longer file is refused as too long
    /// without reading it to its end.
    static func bytes(_ path: String) throws(CommandFailure) -> [UInt8] {
        do {
            return try FileBytes.first(ConfigurationLimits.fileBytesMax + 1, of: path)
        } catch {
            throw CommandFailure(
                .unusableConfiguration,
                "cannot read \(HarmlessText.line(path)): \(error); check the path")
        }
    }
}

/// What a file begins with, for files that have a greatest length: so nothing without an end, such
/// as `/dev/zero`, is read for ever.
enum FileBytes {
    private static let bytesAtATime = 64 << 10

    /// The first `count` bytes of the file at `path`; fewer if it has no more.
    ///
    /// - Throws: `Errno`. A pipe is waited for.
    static func first(_ count: Int, of path: String) throws -> [UInt8] {
        let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        return try file.closeAfter {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: min(count, bytesAtATime))
            while bytes.count < count {
                let taken = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
                if taken == 0 { break }
                bytes += buffer[..<min(taken, count - bytes.count)]
            }
            return bytes
        }
    }
}

/// Looks at a configuration file once a second, and hands over what it says when that changes.
///
/// By its text, not by its date: editors and mounted volumes replace files in too many ways to
/// trust anything else.
final class ConfigurationWatch: Sendable {
    private static let interval = Duration.seconds(1)

    private let path: String
    private let logger: Logger
    private let isAsked = Atomic<Bool>(false)

    init(_ path: String, logger: Logger) {
        self.path = path
        self.logger = logger
    }

    /// The next look tells what it found, also if nothing has changed.
    func ask() { isAsked.store(true, ordering: .relaxed) }

    /// - Parameters:
    ///   - configuration: what is in force.
    ///   - changed: takes another configuration over.
    ///   - refused: told how many changes of the file cannot be taken over; 0: none any more.
    func start(
        from configuration: ClusterConfiguration,
        changed: @escaping @Sendable (ClusterConfiguration) -> Void,
        refused: @escaping @Sendable (Int) -> Void
    ) {
        Task {
            var reloads = ConfigurationReloads(from: configuration)
            while true {
                try await Task.sleep(for: Self.interval)
                let isAsked = isAsked.exchange(false, ordering: .relaxed)
                let outcome = reloads.look(isAsked: isAsked) { try ConfigurationFile.read(path) }
                switch outcome {
                case .nothing: if isAsked { logger.notice("\(path) says what is in force") }
                case .taken(let found, let deferrals):
                    logger.info("\(path) has changed and is taken over")
                    for sentence in deferrals { logger.notice("\(path): \(sentence)") }
                    changed(found)
                    refused(0)
                case .refused(let problem, let count):
                    logger.error(
                        "\(path) has changed, and the last configuration stays: \(problem)")
                    refused(count)
                case .restored:
                    logger.notice("\(path) says again what is in force")
                    refused(0)
                }
            }
        }
    }
}

/// What each check of the configuration file means for the publisher.
struct ConfigurationReloads {
    /// What a look at the file means.
    enum Outcome {
        /// It says what is in force; or it is refused as it was before.
        case nothing
        /// It is taken over; what of it takes effect later, a sentence each.
        case taken(ClusterConfiguration, deferrals: [String])
        /// Nothing of it is taken over: why, and how many changes cannot be.
        case refused(String, count: Int)
        /// A file that was refused says again what is in force.
        case restored
    }

    private var current: ClusterConfiguration
    private var lastProblem: String?

    init(from configuration: ClusterConfiguration) {
        current = configuration
    }

    /// - Parameters:
    ///   - isAsked: whether a refusal is told again that was told before.
    ///   - read: reads the file.
    mutating func look(
        isAsked: Bool = false, _ read: () throws -> ClusterConfiguration
    ) -> Outcome {
        let found: ClusterConfiguration
        do {
            found = try read()
        } catch {
            return refused("\(error)", count: 1, isAsked)
        }
        let change = ConfigurationChange(from: current, to: found)
        let refusals = change.refusals
        guard refusals.isEmpty else {
            return refused(refusals.joined(separator: "; "), count: refusals.count, isAsked)
        }
        let wasRefused = lastProblem != nil
        lastProblem = nil
        guard found != current else { return wasRefused ? .restored : .nothing }
        current = found
        return .taken(found, deferrals: change.deferrals)
    }

    private mutating func refused(_ problem: String, count: Int, _ isAsked: Bool) -> Outcome {
        guard problem != lastProblem || isAsked else { return .nothing }
        lastProblem = problem
        return .refused(problem, count: count)
    }
}
