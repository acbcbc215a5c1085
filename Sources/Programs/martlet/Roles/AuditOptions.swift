import AccessControl
import ArgumentParser
import CacheAccess
import CacheConfiguration
import CommandSurface
import EssentialFoundation
import Logging

/// Where a role writes its audit log.
struct AuditOptions: ParsableArguments {
    /// How names of keys, tags and prefixes are written.
    enum Names: String, ExpressibleByArgument, CaseIterable {
        case clear
        case hashed
        case none
    }

    @Option(
        help: .value(
            "file",
            "Log invalidations with their clients, and refusals, to this file; see martlet audit. "
                + "(default: $MARTLET_AUDIT)"))
    var audit: String?

    @Option(
        help: .value("size", "How long the file may be before it is moved aside (default: 64MiB)."))
    var auditSize: String?

    @Option(
        help: .value(
            "count",
            "How many files there are, with those moved aside; the oldest goes. (default: 8)"))
    var auditFiles: Int?

    @Option(
        help: .value(
            "manner",
            """
            Names of keys, tags and prefixes in it: clear, hashed (equal names have equal hashes \
            while the process runs) or none. (default: clear)
            """))
    var auditNames: Names?

    static let variable = "MARTLET_AUDIT"

    /// What the flags and the variable say; `nil`: nothing is noted.
    func settings(
        environment: [String: String] = ProcessEnvironment.variables
    ) throws -> AuditSettings? {
        guard let path = audit ?? environment[Self.variable], !path.isEmpty else {
            guard auditSize == nil, auditFiles == nil, auditNames == nil else {
                throw CommandFailure(
                    .wrongUsage,
                    "--audit-size, --audit-files and --audit-names are for an audit log: say "
                        + "--audit FILE too")
            }
            return nil
        }
        var settings = AuditSettings(path: path)
        if let auditSize { settings.fileBytesMax = try Self.size(auditSize) }
        if let auditFiles {
            guard AccessLimits.auditFileCount.contains(auditFiles) else {
                throw CommandFailure(.wrongUsage, "--audit-files is 2 to 1000")
            }
            settings.fileCountMax = auditFiles
        }
        settings.names = (auditNames ?? .clear).drawn
        return settings
    }

    private static func size(_ text: String) throws -> Int {
        let bytes = try GivenText(text: text, source: "--audit-size")
            .parsed { try ByteSizeText.parse($0) }
        guard AccessLimits.auditFileBytes.contains(bytes) else {
            throw CommandFailure(.wrongUsage, "--audit-size is 64KiB to 16GiB")
        }
        return bytes
    }

    /// Opens the log; `nil`: nothing is noted. The caller ends it.
    ///
    /// - Parameter role: the role that writes it.
    func open(_ role: String, logger: Logger) throws -> AuditLog? {
        guard let settings = try settings() else { return nil }
        return try CommandFailure.wrapping {
            try AuditLog(settings, role: role, logger: logger)
        }
    }
}

extension AuditOptions.Names {
    /// As lines are written. Each call hashes with a key of its own.
    var drawn: AuditNames {
        switch self {
        case .clear: .clear
        case .none: .none
        case .hashed:
            .hashed(NameHash(key0: .random(in: 0...(.max)), key1: .random(in: 0...(.max))))
        }
    }
}
