import Foundation
import Testing

/// The lists by which `deploy/test` decides what runs name what there is.
@Suite struct ProofListTests {
    /// Every line of `deploy/covers` that is no comment: a suite, and the paths that it depends on.
    private static let covers: [(suite: String, paths: [Substring])] = lines(of: "deploy/covers")
        .compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let paths = line[line.index(after: colon)...].split(separator: " ")
            return (String(line[..<colon]), paths)
        }

    private static func lines(of path: String) -> [Substring] {
        let text = try? String(contentsOf: House.root.appending(path: path), encoding: .utf8)
        return (text ?? "").split(separator: "\n").filter { !$0.hasPrefix("#") }
    }

    private static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: House.root.appending(path: path).path)
    }

    @Test func everyPathThatASuiteDependsOnExists() {
        #expect(!Self.covers.isEmpty)
        let paths = Self.covers.flatMap(\.paths).filter { $0 != "common" }
        let missing = paths.filter { !Self.exists(String($0)) }
        #expect(missing == [], "deploy/covers names what is not there")
    }

    @Test func everySuiteThatMayBeLeftOutCanBeRun() {
        let missing = Self.covers.map(\.suite).filter {
            $0 != "common" && !Self.exists("Tests/\($0)/run") && !Self.exists("Tests/\($0)/check")
        }
        #expect(missing == [], "deploy/covers names suites without a program")
    }

    @Test func everyTargetInTheCoreTestsListExists() {
        let targets = Self.lines(of: "deploy/core-tests").map(String.init)
        #expect(!targets.isEmpty)
        let folders = House.Layer.allCases.map { "Tests/Units/\($0.rawValue)" } + ["Tests"]
        let missing = targets.filter { target in
            !folders.contains { Self.exists("\($0)/\(target)") }
        }
        #expect(missing == [])
    }

    /// A target that reaches sockets or processes is not listed among those of the cores.
    @Test func noTestsOfTheRuntimeRunBesideEachOther() {
        let listed = Set(Self.lines(of: "deploy/core-tests").map(String.init))
        let runtime = House.modules.filter { $0.value.layer >= .runtime }
        let wrong = runtime.keys.map { $0 + "Tests" }.filter(listed.contains)
        #expect(wrong == [])
    }
}
