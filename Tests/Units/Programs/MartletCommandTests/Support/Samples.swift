import ArgumentParser
import CacheModel
import CommandSurface
import Testing

@testable import MartletClient
@testable import martlet

// The test library has types of these names, too.
typealias ExitStatus = CommandSurface.ExitStatus
typealias Tag = CacheModel.Tag

/// Values as they would come from a cluster, and commands as they would come from a shell.
enum Sample {
    static func node(_ name: String) throws -> NodeID { try #require(NodeID(name)) }
    static func key(_ text: String) throws -> CacheKey { try #require(CacheKey(text)) }
    static func tag(_ text: String) throws -> Tag { try #require(Tag(text)) }

    static func position(_ sequence: UInt64, epoch: UInt32 = 1) -> LogPosition {
        LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(sequence))
    }

    /// The command that `line` names; words are parted by single spaces.
    static func command<Command: ParsableCommand>(
        _ line: String, as type: Command.Type = Command.self
    ) throws -> Command {
        try #require(try MartletCommand.parseAsRoot(words(line)) as? Command)
    }

    /// How the program ends if reading `line` fails.
    static func ending(_ line: String) throws -> CommandEnding {
        try ending(words(line))
    }

    static func ending(_ arguments: [String]) throws -> CommandEnding {
        do {
            var command = try MartletCommand.parseAsRoot(arguments)
            // Help that is asked for is a command of the parser's own.
            if String(describing: type(of: command)) == "HelpCommand" { try command.run() }
        } catch {
            return CommandEnding(error, of: MartletCommand.self, arguments: arguments)
        }
        throw Unexpected.wasParsed(arguments.joined(separator: " "))
    }

    enum Unexpected: Error { case wasParsed(String) }

    private static func words(_ line: String) -> [String] {
        line.split(separator: " ").map(String.init)
    }
}

extension OutputStyle {
    static let plain = OutputStyle.text(isColoured: false)
}
