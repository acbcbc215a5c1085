import Foundation
import Testing

@testable import LoadTest

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite struct ReportPageTests {
    /// Every text of a page and every tag, as a parser of XML sees them.
    final class Reader: NSObject, XMLParserDelegate {
        var text = ""
        var names: [String] = []
        var attributes: [[String: String]] = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
            qualifiedName: String?, attributes: [String: String]
        ) {
            names.append(name)
            self.attributes.append(attributes)
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
    }

    private static func read(_ run: RunFigures) throws -> Reader {
        let parser = XMLParser(data: Data(ReportPage(run).html.utf8))
        let reader = Reader()
        parser.delegate = reader
        let isWellFormed = parser.parse()
        #expect(isWellFormed, "\(String(describing: parser.parserError))")
        return reader
    }

    @Test func everyPageIsWellFormedAndAsksForNothingElse() throws {
        let runs = [
            SampleRun.minute(), SampleRun.threeSeconds(), SampleRun.trouble(),
            SampleRun.severalPhases(), SampleRun.oneAnswer(), SampleRun.frame("empty"),
            RunFigures(title: "", version: "", subject: ""),
        ]
        for run in runs {
            let page = try Self.read(run)
            let forbidden = ["link", "img", "iframe", "object", "base", "form", "a"]
            #expect(page.names.allSatisfy { !forbidden.contains($0) })
            #expect(page.attributes.allSatisfy { $0["src"] == nil && $0["href"] == nil })
            #expect(page.names.filter { $0 == "script" }.count == 1)
        }
        let sources = "\(ReportAssets.style)\(ReportAssets.script)"
        for asking in ["url(", "@import", "fetch", "http:", "https:", "innerHTML", "eval"] {
            #expect(!sources.contains(asking))
        }
    }

    @Test func aTextFromOutsideIsNeverMarkup() throws {
        let attack = "\"><script>alert(1)</script>&'\u{1B}[31m\u{0}\u{FFFF}\u{202E}"
        var run = SampleRun.oneAnswer()
        run.title = attack
        run.version = attack
        run.subject = attack
        run.asked = [RunFigures.Fact(attack, attack)]
        run.workers[0].machine.hostName = attack
        run.phases[0].name = attack
        run.phases[0].asked = attack
        run.phases[0].isWarmUp = true
        var phase = run.phases[0]
        phase.isWarmUp = false
        phase.operations = [OperationFigures(kind: attack)]
        phase.operations[0].errors = [attack: 1]
        phase.operations[0].keyCount = 1
        phase.operations[0].latency.note(nanoseconds: 7)
        run.phases.append(phase)
        run.verification = VerificationFigures()
        var violation = ViolationFigures(key: Array(attack.utf8) + [0xFF], sentence: attack)
        violation.history = [attack]
        violation.phase = attack
        violation.atSeconds = 0.1
        run.verification?.violations = [violation]
        run.verification?.violationCount = 1

        let page = try Self.read(run)
        #expect(page.names.filter { $0 == "script" }.count == 1)
        let html = ReportPage(run).html
        #expect(!html.contains("<script>alert"))
        #expect(!html.contains("\u{1B}") && !html.contains("\u{0}") && !html.contains("\u{202E}"))
        #expect(page.text.contains("\"><script>alert(1)</script>&'␛[31m␀"))
    }

    @Test func anEmptyRunSaysSoAndShowsNoFigure() throws {
        let page = try Self.read(SampleRun.frame("empty"))
        #expect(page.text.contains("Nothing was answered in a measured phase."))
        #expect(!page.names.contains("figure"))
        #expect(!page.text.contains("keys per second"))
    }

    @Test func oneAnswerHasASlowestOneAndNoPercentile() throws {
        let page = try Self.read(SampleRun.oneAnswer())
        #expect(page.text.contains("slowest123\u{202F}µs"))
        #expect(page.text.contains("median latency–p50"))
    }

    /// Without eyes: each drawing says what it shows, and has its figures below as a table.
    @Test func everyChartHasATextAndATable() throws {
        let page = try Self.read(SampleRun.minute())
        let drawings = page.attributes.filter { $0["role"] == "img" }
        #expect(drawings.count == 5)
        #expect(drawings.allSatisfy { !($0["aria-label"] ?? "").isEmpty })
        #expect(page.names.filter { $0 == "details" }.count == 5)
    }

    @Test func aWrongAnswerIsSaidFirstWithTheHistoryOfItsKey() throws {
        let page = try Self.read(SampleRun.trouble())
        #expect(SampleRun.trouble().cautions.count == 6)
        #expect(SampleRun.trouble().cautions.first?.weight == .violation)
        let first = try #require(page.text.range(of: "1 answer was wrong. The run ended there."))
        let figures = try #require(page.text.range(of: "keys per second"))
        #expect(first.lowerBound < figures.lowerBound)
        for line in SampleRun.trouble().verification?.violations.first?.history ?? [] {
            #expect(page.text.contains(line))
        }
    }

    @Test func theSameFiguresMakeTheSamePage() {
        #expect(ReportPage(SampleRun.trouble()).html == ReportPage(SampleRun.trouble()).html)
    }
}
