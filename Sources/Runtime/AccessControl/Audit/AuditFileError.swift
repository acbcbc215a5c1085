#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Why the audit's file cannot be written.
package enum AuditFileError: Error, Equatable, CustomStringConvertible {
    case unopenable(path: String, reason: String)
    case inUse(path: String)
    case irregular(path: String)
    case unmovable(path: String, reason: String)
    case unwritable(path: String, reason: String)
    case noThread(String)

    /// One sentence: what is wrong, and what to do.
    package var description: String {
        switch self {
        case .unopenable(let path, let reason):
            "the audit file \(path) cannot be opened: \(reason)"
        case .inUse(let path):
            "the audit file \(path) is written by another process: give each a file of its own"
        case .irregular(let path): "the audit file \(path) is no file: name one that is"
        case .unmovable(let path, let reason):
            "the audit file \(path) is as long as it may be and cannot be moved aside: \(reason)"
        case .unwritable(let path, let reason):
            "the audit file \(path) cannot be written: \(reason)"
        case .noThread(let reason): "the audit log cannot be started: \(reason)"
        }
    }

    /// The system's words for its last error.
    static var reason: String { String(cString: strerror(errno)) }
}
