/// How long a command talks to its cluster.
enum ClientUse {
    /// All of its calls end with --timeout.
    case oneAnswer
    /// It goes on for as long as it likes once the cluster has answered; each answer has --timeout.
    case manyAnswers
    /// It waits for a cluster that is not there yet, too.
    case waiting
}
