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
