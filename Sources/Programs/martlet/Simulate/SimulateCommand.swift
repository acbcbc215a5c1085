import ArgumentParser
import CommandSurface

/// `martlet simulate`: says where the simulation is now.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Moved to the program martlet-simulate.",
        shouldDisplay: false)

    @Argument(parsing: .captureForPassthrough)
    var arguments: [String] = []

    func run() throws {
        throw CommandFailure(
            .wrongUsage,
            "martlet simulate is a program of its own now, with the same options: "
                + "swift run -c release martlet-simulate")
    }
}
