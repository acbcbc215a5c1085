import AccessControl
import CommandSurface
import MartletClient
import PublisherServer

extension CommandFailure {
    /// What a failure of the client means to the user of the command.
    ///
    /// - Parameter endpoints: those that were tried.
    init(_ error: CacheError, endpoints: [String]) {
        self.init(ExitStatus(error), error.sentence(endpoints: endpoints))
    }
}

extension CacheError {
    /// The message, with the remedy that only the command line knows.
    ///
    /// - Parameter endpoints: those that the user named. If it is they that do not answer, there
    ///   may be no cluster at all.
    func sentence(endpoints: [String]) -> String {
        var sentence = HarmlessText.line(message)
        if code == .disconnected, !endpoints.isEmpty, endpoints.allSatisfy(message.contains) {
            sentence += "; martlet up starts a cluster, --cluster takes any publisher or node"
        }
        if code == .timedOut { sentence += "; --timeout gives it longer" }
        // The client's own sentence may say so.
        let isSaid = message.contains("may have been done")
        if mayHaveHappened, !isSaid { sentence += "; it may have been done all the same" }
        return sentence
    }
}

extension ExitStatus {
    init(_ error: CacheError) {
        self =
            switch error.code {
            case .invalidArgument: .wrongUsage
            // Of a load that failed: the origin could not be reached, or as good as not.
            case .disconnected, .timedOut, .loadFailed: .unreachable
            case .behind: .notFresh
            case .refused, .unauthorised, .valueTooLarge, .busy, .protocolViolation: .refused
            default: .bug
            }
    }
}

extension CommandFailure {
    /// Does `body`. Any other error than a ``CommandFailure`` means that the configuration cannot
    /// be used.
    ///
    /// - Parameter sentence: what to say of such an error.
    static func wrapping<Value>(
        _ sentence: (any Error) -> String = { "\($0)" }, _ body: () throws -> Value
    ) throws(CommandFailure) -> Value {
        do {
            return try body()
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(.unusableConfiguration, sentence(error))
        }
    }

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
