import AccessControl
import Testing

@Suite struct RefusedContentTests {
    private struct Refusal: Error, Equatable { var content: String }

    private static func judge(
        _ content: String, _ refused: inout RefusedContent<String, Refusal>, _ calls: inout Int
    ) -> Refusal? {
        do throws(Refusal) {
            try refused.judge(content) { content throws(Refusal) in
                calls += 1
                if content.hasPrefix("wrong") { throw Refusal(content: content) }
            }
            return nil
        } catch {
            return error
        }
    }

    @Test func theSameContentIsRefusedWithoutBeingJudgedAgain() {
        var (refused, calls) = (RefusedContent<String, Refusal>(), 0)
        for _ in 0..<3 {
            #expect(Self.judge("wrong", &refused, &calls) == Refusal(content: "wrong"))
        }
        #expect(calls == 1)
    }

    @Test func otherContentIsJudged() {
        var (refused, calls) = (RefusedContent<String, Refusal>(), 0)
        _ = Self.judge("wrong", &refused, &calls)
        #expect(Self.judge("wrong too", &refused, &calls) == Refusal(content: "wrong too"))
        #expect(Self.judge("right", &refused, &calls) == nil)
        #expect(Self.judge("wrong", &refused, &calls) == Refusal(content: "wrong"))
        #expect(calls == 4)
    }
}
