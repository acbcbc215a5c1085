import CacheDisk
import LibC

extension DiskFailure {
    /// What the system's error number means to a tier.
    init(errorNumber code: CInt) {
        switch code {
        case ENOSPC, EDQUOT: self = .noRoom
        case EOPNOTSUPP, ENOSYS: self = .unsupported
        case EROFS: self = .readOnly
        default: self = .device(DiskFileError.text(code))
        }
    }
}

extension DiskCompletion.Outcome {
    /// Of a write or a synchronization.
    ///
    /// - Parameter code: 0, or the system's error number.
    init(errorNumber code: CInt) {
        self = code == 0 ? .done : .failed(DiskFailure(errorNumber: code))
    }
}
