import Foundation
import TestSupport

/// The program under test, as the package has built it.
enum Program {
    /// - Throws: ``GaveUp`` if it lies beside no test bundle. `MARTLET_PROGRAM` names another one.
    static func url() throws -> URL {
        var places: [URL] = []
        for path in CommandLine.arguments + [Bundle.main.bundlePath] where path.contains("/") {
            var place = URL(fileURLWithPath: path)
            while place.path.contains(".build") {
                places.append(place.appendingPathComponent("martlet"))
                place.deleteLastPathComponent()
            }
        }
        places.append(Repository.file(".build/debug/martlet"))
        if let path = ProcessInfo.processInfo.environment["MARTLET_PROGRAM"] {
            places = [URL(fileURLWithPath: path)]
        }
        for place in places where isProgram(place) { return place }
        throw GaveUp("the program is not built: none of \(places.map(\.path))")
    }

    private static func isProgram(_ url: URL) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
            && !isDirectory.boolValue
            && FileManager.default.isExecutableFile(atPath: url.path)
    }

    /// Runs it to its end.
    static func run(_ arguments: [String], input: String? = nil) async throws -> Ending {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let running = try RunningProgram(
            arguments, name: "run", in: directory.url, input: input)
        defer { running.kill() }
        let code = try await running.ended()
        return Ending(code: code, output: running.output, errors: running.errors)
    }

    /// How it ended and what it said.
    struct Ending: CustomStringConvertible {
        var code: Int32
        var output: String
        var errors: String

        var description: String { "code \(code)\n\(output)\(errors)" }

        /// What it said on standard error, a line each.
        var complaints: [Substring] { errors.split(separator: "\n") }
    }
}
