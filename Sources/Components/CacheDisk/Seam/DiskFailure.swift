/// Why a file could not be read or written, as far as it makes a difference to anybody.
package enum DiskFailure: Equatable, Sendable {
    /// There is no room, or a quota is used up.
    case noRoom
    /// The file system takes no writes (any more).
    case readOnly
    /// The file ends before where it was to be read: somebody has cut it.
    case cut
    /// The file system cannot do it at all.
    case unsupported
    /// The device failed; or anything else, in the system's words.
    case device(String)
}

extension DiskFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noRoom: "no room left on the disk"
        case .readOnly: "the file system is read-only"
        case .cut: "the file was cut by somebody else"
        case .unsupported: "the file system does not support it"
        case .device(let words): words
        }
    }
}
