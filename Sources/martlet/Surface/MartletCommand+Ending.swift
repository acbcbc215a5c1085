import ArgumentParser
import Foundation

extension MartletCommand {
    /// Does what the arguments say. Every error of every command ends here: as at most one line on
    /// standard error, and one of the codes of ``ExitStatus``.
    static func main() async {
        let arguments = completed(Array(CommandLine.arguments.dropFirst()))
        do {
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(CommandEnding(error, of: Self.self, arguments: arguments))
        }
    }

    /// Gives `--respawn` its value where it was left out, which the parser knows no way to say.
    static func completed(_ arguments: [String]) -> [String] {
        arguments.enumerated().map { index, argument in
            let next = index + 1 < arguments.count ? arguments[index + 1] : "-"
            return argument == "--respawn" && next.hasPrefix("-") ? "--respawn=1s" : argument
        }
    }

    private static func end(_ ending: CommandEnding) -> Never {
        if !ending.complaint.isEmpty { Console.complain(ending.complaint) }
        do {
            try Console.write(ending.text)
        } catch {
            Console.complain(error.sentence)
            Foundation.exit(error.status.rawValue)
        }
        Foundation.exit(ending.status)
    }
}
