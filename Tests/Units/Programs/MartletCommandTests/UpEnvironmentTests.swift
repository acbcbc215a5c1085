import ArgumentParser
import CacheConfiguration
import CommandSurface
import Foundation
import Testing
import TestSupport

@testable import martlet

/// What variables mean to `up` and to the processes that it starts.
@Suite struct UpEnvironmentTests {
    private static func configured(
        _ flags: [String], _ environment: [String: String]
    ) throws -> (memory: [Int], disk: [Int?]) {
        let configuration = try UpPlan.configuration(
            UpCommand.parse(flags), in: URL(fileURLWithPath: "/tmp/x"), environment: environment)
        return (configuration.nodes.map(\.memory), configuration.nodes.map(\.disk?.bytes))
    }

    @Test func flagsWinOverVariablesAndThoseOverDefaults() throws {
        let variables = ["MARTLET_MEMORY": "64MiB", "MARTLET_DISK": "1GiB"]
        let said = try Self.configured(
            ["--nodes", "2", "--memory", "128MiB", "--disk", "2GiB"], variables)
        #expect(said.memory == [128 << 20, 128 << 20] && said.disk == [2 << 30, 2 << 30])
        let set = try Self.configured(["--nodes", "2"], variables)
        #expect(set.memory == [64 << 20, 64 << 20] && set.disk == [1 << 30, 1 << 30])
        let none = try Self.configured(["--nodes", "1"], ["MARTLET_MEMORY": ""])
        #expect(none.memory == [256 << 20] && none.disk == [nil])
    }

    @Test func aNumberOfEntriesIsWrittenForEachNode() throws {
        func entriesMax(_ flags: [String], _ environment: [String: String]) throws -> [Int?] {
            try UpPlan.configuration(
                UpCommand.parse(["--nodes", "2"] + flags), in: URL(fileURLWithPath: "/tmp/x"),
                environment: environment
            ).nodes.map(\.entriesMax)
        }
        let variable = ["MARTLET_ENTRIES_MAX": "20"]
        #expect(try entriesMax([], [:]) == [nil, nil])
        #expect(try entriesMax([], variable) == [20, 20])
        #expect(try entriesMax(["--entries-max", "30"], variable) == [30, 30])
        #expect(throws: CommandFailure.self) {
            try entriesMax(["--entries-max", "3", "--shards", "4"], [:])
        }
    }

    @Test func childrenDoNotTakeWhatFlagsHaveSaid() {
        let all = [
            "MARTLET_MEMORY": "1MiB", "MARTLET_DISK": "none", "MARTLET_LOG": "/l",
            "MARTLET_ENTRIES_MAX": "7",
            "MARTLET_ETCD_USER": "u", "ETCD_CONFIG_FILE": "/e", "MARTLET_KEY": "/k",
            "MARTLET_IO_THREADS": "3",
            "PATH": "/bin",
        ]
        let own = UpEnvironment.passedOn(all, isFromFlags: true, hasLog: true)
        #expect(own == ["MARTLET_IO_THREADS": "3", "PATH": "/bin"])
        let temporary = UpEnvironment.passedOn(all, isFromFlags: true, hasLog: false)
        #expect(temporary["MARTLET_LOG"] == "/l")
        let file = UpEnvironment.passedOn(all, isFromFlags: false, hasLog: true)
        #expect(file.keys.sorted() == all.keys.sorted().filter { $0 != "MARTLET_KEY" })
    }

    /// Who a process is, where it listens and where its own files are.
    @Test func variablesOfOneProcessAreThoseOfItsNamePlacesAndFiles() {
        #expect(
            Set(UpEnvironment.ofOneProcess) == [
                "MARTLET_ID", "MARTLET_PUBLISHER", "MARTLET_BIND", "MARTLET_LIVE",
                "MARTLET_DISK_DIRECTORY", "MARTLET_QUEUE_DIRECTORY", "MARTLET_STATE_DIRECTORY",
            ])
    }

    @Test(arguments: UpEnvironment.ofOneProcess)
    func whatIsOfOneProcessAloneIsRefused(name: String) throws {
        let failure = #expect(throws: CommandFailure.self) {
            try UpEnvironment.check([name: "x"])
        }
        #expect(failure?.status == .wrongUsage)
        #expect(failure?.sentence.contains("\(name) is set") == true)
        try UpEnvironment.check([name: ""])
    }

    @Test(
        arguments: [
            ("MARTLET_MEMROY", "MARTLET_MEMORY"),
            ("MARTLET_QUEUE_DIRECTORYS", "MARTLET_QUEUE_DIRECTORY"),
            ("MARTLET_TRACE", "MARTLET_TRACES"), ("MARTLET_IDD", "MARTLET_ID"),
            ("MARTLET_XY", nil), ("MARTLET_SOMETHING_ELSE", nil),
        ] as [(String, String?)])
    func aVariableThatNothingReadsIsNamedWithTheNearest(name: String, nearest: String?) {
        let found = EnvironmentVariables.unknown(in: [name: "1", "MARTLET_MEMORY": "1", "X": "2"])
        #expect(found == [EnvironmentVariables.Unknown(name: name, nearest: nearest)])
        #expect(found.first?.sentence.contains(nearest ?? "not one of martlet's") == true)
    }

    @Test func everyVariableThatTheSourcesNameIsKnown() throws {
        let folder = Repository.file("Sources/Programs/martlet")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        var named: Set<String> = []
        for path in paths where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            for match in text.matches(of: /"(MARTLET_[A-Z_]+)"/) { named.insert(String(match.1)) }
        }
        #expect(named.contains("MARTLET_SECRETS_DIRECTORY"))
        // Known where it is read, which is in checked builds.
        named.remove("MARTLET_PLANTED_BUG")
        #expect(named.subtracting(EnvironmentVariables.known).sorted() == [])
    }
}
