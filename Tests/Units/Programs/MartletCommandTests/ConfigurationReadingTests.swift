import CacheConfiguration
import CacheModel
import CommandSurface
import Foundation
import Testing
import TestSupport

@testable import martlet

@Suite struct ConfigurationReadingTests {
    @Test func aFileIsReadWhole() throws {
        try withTemporaryFile(Data("nodes: [{id: n1}]\n".utf8)) { path in
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
        let long = Data(repeating: 0x20, count: ConfigurationLimits.fileBytesMax + 10)
        _ = try withTemporaryFile(long) { path in
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
