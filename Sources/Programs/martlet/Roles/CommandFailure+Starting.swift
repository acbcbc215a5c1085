import AccessControl
import CommandSurface
import PublisherServer

extension CommandFailure {
    /// Why a role did not start. Mostly the user has to change something first. That a listener did
    /// not answer in time may be a busy machine: a supervisor of the role may try again.
    init(starting error: any Error) {
        let cause: AccessControlError?
        if case .access(let error)? = error as? PublisherStartError {
            cause = error
        } else {
            cause = error as? AccessControlError
        }
        if case .untested? = cause {
            self.init(.unreachable, "\(error)")
        } else {
            self.init(.unusableConfiguration, "\(error)")
        }
    }
}
