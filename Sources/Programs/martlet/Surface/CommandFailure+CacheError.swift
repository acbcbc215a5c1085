import CommandSurface
import MartletClient

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
