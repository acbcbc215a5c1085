import CommandSurface
import Testing

@testable import martlet

@Suite struct TouchReportTests {
    @Test func whatIsNotThereIsACode() throws {
        let report = TouchReport(lines: [(try Sample.key("a"), true), (try Sample.key("b"), false)])
        let text = report.output(.plain)
        #expect(text.text == "touched a\n")
        #expect(text.complaints == ["not found: b"])
        #expect(text.status == .notFound)
        #expect(
            report.output(.json).text
                == "{\"key\":\"a\",\"touched\":true}\n{\"key\":\"b\",\"touched\":false}\n")
    }
}
