import TestSupport
import Testing

@testable import PublisherServer

@Suite struct KeptFilesTests {
    private let logged = LinesLogged()
    private var files: KeptFiles
    private let full = "the disk is full"

    init() { files = KeptFiles(.memory, logged.logger) }

    private mutating func report(_ file: KeptFiles.File, _ error: String?) {
        files.report(file, error, "\(file) fails", again: "\(file) is kept again")
    }

    @Test mutating func aFailureIsLoggedOnceAndSoIsItsEnd() {
        report(.nodes, nil)
        #expect(logged.lines.isEmpty)
        for _ in 0..<2 { report(.nodes, full) }
        for _ in 0..<2 { report(.nodes, nil) }
        #expect(
            logged.lines == ["error nodes fails reason=\(full)", "notice nodes is kept again"])
        report(.nodes, full)
        #expect(logged.count("error nodes fails") == 2)
    }

    @Test mutating func eachFileFailsByItself() {
        report(.nodes, full)
        report(.cluster, full)
        report(.pacings, nil)
        report(.nodes, nil)
        #expect(
            logged.lines == [
                "error nodes fails reason=\(full)", "error cluster fails reason=\(full)",
                "notice nodes is kept again",
            ])
    }
}
