import ArgumentParser
package import ByteCoding

/// What a command has to say, complete and not yet said: rendering is a function from values to
/// one of these, and needs neither cluster nor terminal.
package struct CommandOutput: Hashable {
    /// The program's name, in front of each complaint.
    package var program: String
    /// For standard output, exactly.
    package var bytes: [UInt8]
    /// For standard error: a sentence each, without the program's name.
    package var complaints: [String]
    /// For standard error, as they stand: lines that name a place in a file, which editors find.
    package var problems: [String] = []
    package var status = ExitStatus.done
    /// Those of ``complaints`` that are no reason for a bad ending, or are told by the exit code
    /// alone: ``quieted(confirms:)`` leaves them out.
    private var remarks: Set<String> = []

    package init(
        program: String = "martlet", bytes: [UInt8] = [], complaints: [String] = []
    ) {
        self.program = program
        self.bytes = bytes
        self.complaints = complaints
    }

    /// A report: its JSON for a script, or what `write` says for a person.
    package init(
        _ style: OutputStyle, json: @autoclosure () -> JSONDocument,
        write: (_ output: inout CommandOutput) -> Void
    ) {
        self.init()
        if style == .json { writeLine(json()) } else { write(&self) }
    }

    /// ``bytes`` as text.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package mutating func write(_ text: String) { bytes += text.utf8 }

    package mutating func writeLine(_ line: String) { write(line + "\n") }

    package mutating func writeLine(_ value: JSONDocument) { writeLine(value.line) }

    /// Adds a sentence, and lets it count for how the command ends.
    package mutating func complain(_ sentence: String, _ status: ExitStatus = .done) {
        complaints.append(sentence)
        if status == .done || status == .notFound { remarks.insert(sentence) }
        self.status = self.status.combined(with: status)
    }

    /// What is left of it under `--quiet`: what was asked for, and errors.
    ///
    /// - Parameter confirms: whether ``bytes`` only say that the work is done.
    package func quieted(confirms: Bool = false) -> CommandOutput {
        var quiet = self
        if confirms { quiet.bytes = [] }
        quiet.complaints.removeAll(where: remarks.contains)
        return quiet
    }

    /// Says it and goes on. What is for standard error is said also if standard output takes no
    /// more.
    package func say() throws(CommandFailure) {
        defer {
            problems.forEach(Console.report)
            complaints.forEach { Console.complain($0, from: program) }
        }
        try Console.write(bytes)
    }

    /// Says it, and ends the command with its status.
    ///
    /// - Parameter last: what is left to do when all is said. Neither its failure nor that of
    ///   standard output takes the other away, or an exit code that weighs more.
    package func finish(_ last: () throws(CommandFailure) -> Void = {}) throws {
        var ending = CommandOutput(program: program)
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

/// The reader that a command writes for.
package enum OutputStyle: Hashable {
    /// A script: one JSON object, or one a line.
    case json
    /// A person.
    case text(isColoured: Bool)

    /// What the flag and the terminal ask for.
    package static func chosen(isJSON: Bool) -> OutputStyle {
        isJSON ? .json : .text(isColoured: Console.usesColour)
    }

    package var isColoured: Bool { self == .text(isColoured: true) }
}
