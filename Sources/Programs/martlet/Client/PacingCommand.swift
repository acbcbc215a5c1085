import ArgumentParser
import ByteCoding
import CacheConfiguration
import CacheModel
import CommandSurface
import MartletClient

struct PacingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pacing",
        abstract: "Show or cancel invalidations that take their time.",
        discussion: """
            martlet invalidate --over 30s begins one. The publisher goes on with it by itself, \
            also after a restart.

              martlet pacing
              martlet pacing cancel 3
            """,
        subcommands: [PacingListCommand.self, PacingCancelCommand.self],
        defaultSubcommand: PacingListCommand.self)
}

struct PacingListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show those that run, and some that ended lately.",
        discussion: """
            done is the share of the keys that is hidden, left how long the rest takes. position \
            is the newest slice: a node that has applied it has applied all slices before.

              martlet pacing list --json
            """)

    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let all = try await cluster.withClient { try await $0.cluster.pacedInvalidations() }
        try cluster.finish(PacingListing(pacings: all).output(cluster.style))
    }
}

struct PacingCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Stop one of them. What it has hidden stays hidden.",
        discussion: """
            Prints how far it came. Ends with 4 if none of that number runs.

              martlet pacing cancel 3
            """)

    @Argument(help: "Its number, as martlet pacing shows it.", transform: ArgumentText.pacing)
    var id: PacingID

    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let id = id
        let stopped = try await cluster.withClient { try await $0.cluster.cancel(id) }
        try cluster.finish(PacingListing(pacings: [stopped]).output(cluster.style), confirms: true)
    }
}

/// Invalidations that take their time, for people and scripts.
struct PacingListing {
    var pacings: [PacedInvalidation]

    func output(_ style: OutputStyle) -> CommandOutput {
        let json = JSONDocument.object([("pacings", .list(pacings.map(JSONDocument.pacing)))])
        return CommandOutput(style, json: json) { output in
            guard !pacings.isEmpty else {
                return output.writeLine(
                    "no invalidation takes its time; martlet invalidate --over begins one")
            }
            output.write(table.text(isColoured: style.isColoured))
        }
    }

    private var table: Table {
        var table = Table([
            .right("number"), .left("what"), .left("state"), .right("over"), .right("done"),
            .right("left"), .right("position"),
        ])
        for pacing in pacings {
            table.add([
                .init(pacing.id.description), .init(pacing.summary), Self.state(pacing.state),
                .init(DurationText.format(pacing.span)), .init(FigureText.ratio(pacing.share)),
                .init(Self.left(pacing)),
                .init(pacing.last?.description ?? FigureText.none),
            ])
        }
        return table
    }

    private static func left(_ pacing: PacedInvalidation) -> String {
        pacing.state == .running ? FigureText.timeLeft(pacing.left) : FigureText.none
    }

    private static func state(_ state: PacedInvalidation.State) -> Table.Cell {
        switch state {
        case .running: .init(state.rawValue)
        case .over: .init(state.rawValue, .good)
        case .cancelled: .init(state.rawValue, .warning)
        }
    }
}

extension PacedInvalidation {
    var summary: String {
        let order = InvalidationRequest(scopes: scopes, wait: .none, patience: .zero)
        return order.summary + (strength == .soft ? ", softly" : "")
    }

    /// How far it is, in one line: `pacing 3 hides everything: 41% of the keys, 17.6s left`.
    var progress: String {
        "pacing \(id) hides \(summary): \(FigureText.ratio(share)) of the keys, "
            + "\(FigureText.timeLeft(left)) left"
    }
}

extension JSONDocument {
    static func pacing(_ pacing: PacedInvalidation) -> JSONDocument {
        .object([
            ("id", .unsigned(pacing.id.rawValue)),
            ("state", .text(pacing.state.rawValue)),
            ("scopes", .list(pacing.scopes.map(scope))),
            ("soft", .bool(pacing.strength == .soft)),
            ("durable", .bool(pacing.isDurable)),
            ("over_ms", .milliseconds(pacing.span)),
            ("slices", .integer(pacing.sliceCount)),
            ("done", .integer(pacing.doneCount)),
            ("left_ms", .milliseconds(pacing.left)),
            ("first", .optional(pacing.first, position)),
            ("position", .optional(pacing.last, position)),
        ])
    }
}
