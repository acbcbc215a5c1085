import ArgumentParser
import CacheHTTP

/// What a command has to say, complete and not yet said: rendering is a function from values to
/// one of these, and needs neither cluster nor terminal.
struct CommandOutput: Hashable {
    /// For standard output, exactly.
    var bytes: [UInt8] = []
    /// For standard error: a sentence each, without the program's name.
    var complaints: [String] = []
    /// For standard error, as they stand: lines that name a place in a file, which editors find.
    var problems: [String] = []
    var status = ExitStatus.done

    /// ``bytes`` as text.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    mutating func write(_ text: String) { bytes += text.utf8 }

    mutating func writeLine(_ line: String) { write(line + "\n") }

    mutating func writeLine(_ value: JSONDocument) { writeLine(value.line) }

    /// Adds a sentence, and lets it count for how the command ends.
    mutating func complain(_ sentence: String, _ status: ExitStatus = .done) {
        complaints.append(sentence)
        self.status = self.status.combined(with: status)
    }

    /// Says it and goes on. What is for standard error is said also if standard output takes no
    /// more.
    func say() throws(CommandFailure) {
        defer {
            problems.forEach(Console.report)
            complaints.forEach(Console.complain)
        }
        try Console.write(bytes)
    }

    /// Says it, and ends the command with its status.
    ///
    /// - Parameter last: what is left to do when all is said. Neither its failure nor that of
    ///   standard output takes the other away, or an exit code that weighs more.
    func finish(_ last: () throws(CommandFailure) -> Void = {}) throws {
        var ending = CommandOutput()
        ending.status = status
        do throws(CommandFailure) {
            try say()
        } catch {
            ending.complain(error.sentence, error.status)
        }
        do throws(CommandFailure) {
            try last()
        } catch {
            ending.complain(error.sentence, error.status)
        }
        try ending.say()
        if ending.status != .done { throw ExitCode(ending.status.rawValue) }
    }
}
