package import ArgumentParser

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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
