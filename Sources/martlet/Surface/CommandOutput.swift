import ArgumentParser

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

    mutating func writeLine(_ value: JSONValue) { writeLine(value.line) }

    /// Adds a sentence, and lets it count for how the command ends.
    mutating func complain(_ sentence: String, _ status: ExitStatus = .done) {
        complaints.append(sentence)
        self.status = self.status.combined(with: status)
    }

    /// Says it and goes on.
    func say() throws {
        try Console.write(bytes)
        problems.forEach(Console.report)
        complaints.forEach(Console.complain)
    }

    /// Says it, and ends the command with its status.
    func finish() throws {
        try say()
        if status != .done { throw ExitCode(status.rawValue) }
    }
}
