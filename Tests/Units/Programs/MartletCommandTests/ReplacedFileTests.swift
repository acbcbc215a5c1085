import Foundation
import Testing
import TestSupport

@testable import martlet

@Suite struct ReplacedFileTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test(arguments: [0o600, 0o640, 0o664])
    func replacingAFileKeepsItsPermissions(mode: Int) throws {
        let path = folder.path("list")
        try Data("old".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        try ReplacedFile(path, flag: "--list").write(Data("new".utf8))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        #expect(try self.mode(path) == mode)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == ["list"])
    }

    @Test func aNameForAnotherPlaceGoesOnBeingOne() throws {
        let (path, link) = (folder.path("list"), folder.path("link"))
        try Data("old".utf8).write(to: URL(filePath: path))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "list")
        try ReplacedFile(link, flag: "--list").write(Data("new".utf8))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "list")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
    }

    @Test func whatCannotBeWrittenIsAsItWas() throws {
        let path = folder.path("gone/list")
        let file = try ReplacedFile(path, flag: "--list")
        #expect(throws: (any Error).self) { try file.write(Data("new".utf8)) }
        #expect(!folder.has("gone"))
    }
}
