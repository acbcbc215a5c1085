import ArgumentParser
import Foundation

/// Which programs are measured.
struct ProgramOptions: ParsableArguments {
    @Option(help: "The martlet program; if not given, the one beside this.")
    var program: String?

    var martlet: String { program ?? Self.beside("martlet") }

    /// This program, for the processes of what it compares with.
    static var own: String { beside("coherence-benchmarks") }

    private static func beside(_ name: String) -> String {
        let path = Bundle.main.executablePath ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: path).deletingLastPathComponent()
            .appendingPathComponent(name).path
    }
}
