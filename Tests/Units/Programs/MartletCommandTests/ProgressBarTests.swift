import CommandSurface
import Testing

@testable import martlet

@Suite struct ProgressBarTests {
    @Test func theBarIsAlwaysAsLongAndFullAtTheEnd() {
        let texts = (0...1_000).map { ProgressBar.text("reading", share: Double($0) / 1_000) }
        #expect(Set(texts.map(\.count)).count == 1)
        #expect(texts[0] == "reading ░░░░░░░░░░░░░░░░░░░░░░░░   0 %")
        #expect(texts[520] == "reading ████████████▌░░░░░░░░░░░  52 %")
        #expect(texts[1_000] == "reading ████████████████████████ 100 %")
    }
}
