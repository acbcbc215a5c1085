package import ArgumentParser
import SystemPackage
import EssentialFoundation
import LibC

/// The three streams that every program is given. Nothing is buffered: written bytes are out.
package enum Console {
    package static var isInputTerminal: Bool { isatty(STDIN_FILENO) == 1 }
    package static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    package static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether standard output shows colours and its owner wants them.
    package static var usesColour: Bool {
        usesColour(isTerminal: isOutputTerminal, environment: ProcessEnvironment.variables)
    }

    /// Only on a terminal that knows colours, and not where `NO_COLOR` has a value.
    package static func usesColour(isTerminal: Bool, environment: [String: String]) -> Bool {
        isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// Writes to standard output.
    ///
    /// - Throws: ``CommandFailure`` if it takes no more: a full disk, a closed terminal.
    package static func write(_ bytes: [UInt8]) throws(CommandFailure) {
        guard let error = send(bytes, to: .standardOutput) else { return }
        throw CommandFailure(.refused, "cannot write the output: \(error)")
    }

    package static func write(_ text: String) throws(CommandFailure) {
        try write(Array(text.utf8))
    }

    /// Writes a sentence to standard error, with the program's name in front.
    package static func complain(_ sentence: String, from program: String = "martlet") {
        report("\(program): \(EndpointKeys.shortened(sentence))")
    }

    /// Writes a line to standard error. A failure is ignored.
    package static func report(_ line: String) {
        _ = send(Array("\(line)\n".utf8), to: .standardError)
    }

    /// Writes to standard error as it stands, without an end of line.
    package static func overwrite(_ text: String) {
        _ = send(Array(text.utf8), to: .standardError)
    }

    /// Asks a question that a person answers with yes or no.
    package static func confirm(_ question: String) -> Bool {
        _ = send(Array("\(question) [y/N] ".utf8), to: .standardError)
        let answer = readLine()?.lowercased() ?? ""
        return answer == "y" || answer == "yes"
    }

    /// All that standard input has.
    ///
    /// - Parameter bytesMax: what is longer is refused, and not read to its end.
    /// - Throws: ``CommandFailure`` if it is longer or cannot be read.
    package static func readAll(bytesMax: Int) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count: Int
            do {
                count = try buffer.withUnsafeMutableBytes {
                    try FileDescriptor.standardInput.read(into: $0)
                }
            } catch {
                throw CommandFailure(.refused, "cannot read standard input: \(error)")
            }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= bytesMax else {
                throw CommandFailure(
                    .refused,
                    "standard input has more than the \(bytesMax) bytes that a value may have; "
                        + "store it in parts")
            }
        }
    }

    /// - Returns: what went wrong; `nil` if nothing did.
    private static func send(_ bytes: [UInt8], to stream: FileDescriptor) -> (any Error)? {
        do {
            try stream.writeAll(bytes)
            return nil
        } catch {
            return error
        }
    }
}

/// The variables that this process was started with.
package enum ProcessEnvironment {
    package static var variables: [String: String] { ProcessInfo.processInfo.environment }
}

extension [String: String] {
    /// The value of a variable; one that is empty counts as not set.
    package func text(of variable: String) -> String? {
        self[variable].flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// A program with subcommands: `martlet`, `martlet-simulate`.
///
/// This module holds what both programs use at their surface, and nothing about caches: text for
/// people and JSON, the standard streams, exit codes, the ending of a command.
///
///     arguments ──▶ command ──▶ CommandOutput ──▶ Console, exit code
///                      └ throws ──▶ CommandEnding ──▶ one line on standard error, exit code
///
/// A program's `main` calls ``run(_:_:)`` once, on any thread. Rendering is done by values and
/// needs no process; only ``Console`` touches the streams.
package enum CommandProgram {
    /// Runs the command that the arguments name. Every error of every command ends the process
    /// here: with at most one line on standard error, and one of the codes of ``ExitStatus``.
    package static func run(_ root: any ParsableCommand.Type, _ arguments: [String]) async {
        do {
            var command = try await completed(root, arguments) ?? parsed(root, arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(CommandEnding(error, of: root, arguments: arguments), root._commandName)
        }
    }

    /// Answers a shell that completes a line: its answer is thrown, as help is. `nil` for any
    /// other command.
    private static func completed(
        _ root: any ParsableCommand.Type, _ arguments: [String]
    ) async throws -> (any ParsableCommand)? {
        guard arguments.first == "---completion", let root = root as? any AsyncParsableCommand.Type
        else { return nil }
        return try await root.asyncParseAsRoot(arguments)
    }

    /// The command that arguments name, each as ``ArgumentBytes/text(_:)`` has it.
    package static func parsed(
        _ root: any ParsableCommand.Type, _ arguments: [String]
    ) throws -> any ParsableCommand {
        let command = try root.parseAsRoot(arguments)
        try ArgumentBytes.check(command, arguments)
        return command
    }

    private static func end(_ ending: CommandEnding, _ program: String) -> Never {
        if !ending.complaint.isEmpty { Console.complain(ending.complaint, from: program) }
        do {
            try Console.write(ending.text)
        } catch {
            Console.complain(error.sentence, from: program)
            exit(error.status.rawValue)
        }
        exit(ending.status)
    }
}

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
        Self.rising.last { $0 == self || $0 == other } ?? self
    }

    private static let rising: [ExitStatus] = [
        .done, .notFound, .incomplete, .notFresh, .refused, .unreachable, .unusableInput,
        .unusableConfiguration, .wrongUsage, .violation, .bug,
    ]
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
