import CacheModel
import Testing

@Suite struct TrimmingTests {
    @Test func whatIsBlankAtBothEndsIsLeftOutAndNothingElse() {
        #expect(" \t a b\r\n".trimmed() == "a b")
        #expect("a".trimmed() == "a")
        #expect("".trimmed() == "")
        #expect(" \n ".trimmed() == "")
        #expect("\"a\"b\"".trimmed { $0 == "\"" } == "a\"b")
    }
}
