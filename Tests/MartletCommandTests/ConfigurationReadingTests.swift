import CacheConfiguration
import CacheModel
import CommandSurface
import Foundation
import Testing

@testable import martlet

@Suite struct ConfigurationReadingTests {
    private func withFile(_ data: Data, _ body: (String) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("martlet-\(UUID().uuidString).yaml")
        try data.write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        try body(url.path)
    }

    @Test func aFileIsReadWhole() throws {
        try withFile(Data("nodes: [{id: n1}]\n".utf8)) { path in
            let configuration = try ConfigurationReading.read(path)
            #expect(configuration.nodes.map(\.id.name) == ["n1"])
        }
    }

    @Test func whatCannotBeReadIsAConfigurationThatCannotBeUsed() {
        #expect {
            try ConfigurationReading.read("/no/such\nfile.yaml")
        } throws: { error in
            (error as? CommandFailure)
                == CommandFailure(
                    .unusableConfiguration,
                    #"cannot read /no/such\nfile.yaml: No such file or directory; check the path"#)
        }
        #expect(throws: CommandFailure.self) { try ConfigurationReading.read("/") }
    }

    @Test func aFileThatIsTooLongIsRefused() throws {
        try withFile(Data(repeating: 0x20, count: ConfigurationLimits.fileBytesMax + 10)) { path in
            #expect(throws: ConfigurationErrors.self) { try ConfigurationReading.read(path) }
        }
    }

    @Test func theFullTextOfAFileIsServedAsItIs() throws {
        let configuration = try ClusterConfiguration.parse("nodes: [{id: n1}]", fileName: "c.yaml")
        let text = ServedText(configuration)
        #expect(text.output(.plain).text == configuration.yamlText())
        #expect(
            ServedText(revision: 7, text: "a: \"b\"\n").output(.json).text
                == "{\"revision\":7,\"yaml\":\"a: \\\"b\\\"\\n\"}\n")
    }
}
