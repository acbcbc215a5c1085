/// How a command ended, as scripts read it from the exit code. A closed list: a new reason takes
/// the code that comes nearest.
package enum ExitStatus: Int32, CaseIterable {
    case done = 0
    /// A key that was asked for is not there.
    case notFound = 1
    /// Done in part: a receipt is not complete, or a node could not be asked.
    case incomplete = 2
    /// No process that could answer was reached.
    case unreachable = 3
    /// The other side, or a bound, said no.
    case refused = 4
    /// Something was seen that must not be.
    case violation = 5
    /// It is there, but not fresh enough for what was asked.
    case notFresh = 6
    /// The arguments make no sense, or a flag is missing.
    case wrongUsage = 64
    /// A file or standard input that the command was to read cannot be read, or is not what it
    /// should be.
    case unusableInput = 65
    /// The program is at fault.
    case bug = 70
    /// The configuration cannot be used.
    case unusableConfiguration = 78

    /// The one to end with when several things ended differently: the one that says most about
    /// why there is no answer.
    package func combined(with other: ExitStatus) -> ExitStatus {
        gravity < other.gravity ? other : self
    }

    private var gravity: Int {
        switch self {
        case .done: 0
        case .notFound: 1
        case .incomplete: 2
        case .notFresh: 3
        case .refused: 4
        case .unreachable: 5
        case .unusableInput: 6
        case .unusableConfiguration: 7
        case .wrongUsage: 8
        case .violation: 9
        case .bug: 10
        }
    }
}

/// Why a command ends without having done its work: a status for scripts, a sentence for people.
package struct CommandFailure: Error, Hashable, CustomStringConvertible {
    package let status: ExitStatus
    /// What went wrong and what to do about it, without the program's name; one line.
    package let sentence: String

    package init(_ status: ExitStatus, _ sentence: String) {
        self.status = status
        self.sentence = sentence
    }

    package var description: String { sentence }
}
