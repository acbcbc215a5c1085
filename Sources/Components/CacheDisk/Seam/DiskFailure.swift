/// Why a file could not be read or written, as far as callers distinguish.
package enum DiskFailure: Equatable, Sendable {
    /// The disk is full, or a quota is used up.
    case noRoom
    /// The file system is read-only, or has become so.
    case readOnly
    /// The file ends before the requested bytes: another process truncated it.
    case cut
    /// The file system does not support the operation.
    case unsupported
    /// The device failed; or any other error, in the system's words.
    case device(String)
}

extension DiskFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noRoom: "no space left on the disk"
        case .readOnly: "the file system is read-only"
        case .cut: "the file was cut by somebody else"
        case .unsupported: "the file system does not support it"
        case .device(let words): words
        }
    }
}
