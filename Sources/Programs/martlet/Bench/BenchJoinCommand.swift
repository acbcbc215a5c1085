import ArgumentParser
import CommandSurface
import EssentialFoundation
import LoadTest

/// `martlet bench join A.json B.json …`: the figures of one load test that several machines made.
struct BenchJoinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Join the JSON reports of machines that tested together.",
        discussion: """
            Counts and histograms are added, so that percentiles are those of all answers. Reports \
            that are not of one load test are refused.

              martlet bench join one.json two.json --report both.html
            """)

    /// Takes the flags that it has, too, wherever they stand; those below are for the help.
    @ParentCommand private var bench: BenchCommand

    @Argument(help: ArgumentHelp("What martlet bench --json has written.", valueName: "file"))
    var files: [String]

    @Option(
        help: ArgumentHelp("Write a report to look at in a browser, too.", valueName: "file.html"))
    var report: String?

    @Flag(help: "Write JSON: one object.")
    var json = false

    func run() throws {
        let runs = try files.map(Self.read)
        let figures: RunFigures
        do {
            figures = try RunFigures.joined(runs)
        } catch {
            throw CommandFailure(.unusableInput, "\(error); give the reports of one load test")
        }
        let page = try (report ?? bench.report).map { try ReportFile($0) }
        try BenchOutput(figures, style: .chosen(isJSON: json || bench.cluster.json)).finish(page)
    }

    private static func read(_ path: String) throws(CommandFailure) -> RunFigures {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(
                .unusableInput, "\(path) cannot be read; check its name and its rights")
        }
        do {
            return try RunFigures.read(Array(bytes))
        } catch {
            throw CommandFailure(
                .unusableInput, "\(path): \(error.sentence); give what bench --json has written")
        }
    }
}
