package import CacheDisk
import LibC

/// Why a tier's file cannot be looked at.
package enum TierReaderError: Error, Equatable, Sendable {
    case missing(path: String)
    case forbidden(path: String)
    case notAFile(path: String)
    /// A directory without a tier's file.
    case noTiers(directory: String)
    case unreadable(path: String, String)
    case unfit(path: String, InspectionFailure)

    init(_ error: DiskFileError) {
        switch error {
        case .call(_, let path, let code): self.init(code, path)
        case .notAFile(let path): self = .notAFile(path: path)
        default: preconditionFailure("reading alone fails by calls")
        }
    }

    init(_ code: CInt, _ path: String) {
        switch code {
        case ENOENT, ENOTDIR: self = .missing(path: path)
        case EACCES, EPERM: self = .forbidden(path: path)
        default: self = .unreadable(path: path, DiskFileError.text(code))
        }
    }

    /// Whether a tier was there that is not whole any more.
    package var isDamage: Bool {
        if case .unfit(_, let failure) = self { failure.isDamage } else { false }
    }
}

extension TierReaderError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing(let path): "\(path) is not there; correct the path"
        case .forbidden(let path):
            "\(path) may not be read; run this as the user that runs the node"
        case .notAFile(let path):
            "\(path) is no plain file; name a shard-N.tier, or the directory that holds them"
        case .noTiers(let directory):
            "\(directory) holds no disk tier (shard-0.tier, …); name the directory of a node's "
                + "disk tier, or a file"
        case .unreadable(let path, let reason):
            "\(path) cannot be read: \(reason); look for the reason in the kernel's log"
        case .unfit(let path, let failure): "\(path) \(failure)"
        }
    }
}
