import Testing

@testable import ByteCoding

/// Where directives of a request are read otherwise than those of an answer.
@Suite struct CacheDirectivesTests {
    private static func answer(_ text: String) -> CacheDirectives {
        CacheDirectives(answer: [FieldText(text)], kept: ["ETag"])
    }

    @Test func aCommaInAQuotedStringSeparatesOnlyInARequest() {
        let text = "x=\"a, no-store, b\""
        #expect(!Self.answer(text).forbidsStoring)
        #expect(CacheDirectives(request: text).forbidsStoring)
    }

    @Test func spacesAroundTheEqualsSignBreakOnlyAnAnswer() {
        let text = "max-age = 7"
        #expect(Self.answer(text).isBroken && Self.answer(text).maxAge == .zero)
        let request = CacheDirectives(request: text)
        #expect(!request.isBroken && request.maxAge == .seconds(7) && request.unreadable == nil)
    }

    @Test func aMissingCommaHidesADirectiveOnlyInARequest() {
        let text = "no-store no-cache"
        #expect(Self.answer(text).forbidsStoring && Self.answer(text).isBroken)
        let request = CacheDirectives(request: text)
        #expect(!request.forbidsStoring && !request.forbidsReuse && !request.isBroken)
    }

    @Test func ofARepeatedDirectiveTheStricterOrTheLastCounts() {
        let text = "max-age=5, max-age=9, s-maxage=9, s-maxage=5"
        let answer = Self.answer(text)
        #expect(answer.maxAge == .seconds(5) && answer.sharedMaxAge == .seconds(5))
        let request = CacheDirectives(request: text)
        #expect(request.maxAge == .seconds(9) && request.sharedMaxAge == .seconds(5))
    }

    @Test(arguments: ["", "=", "=x", "=-1", "=1.5", "=\"\"", "=5 6"])
    func aNumberThatIsNoneIsZeroOfAnAnswerAndUnreadableOfARequest(argument: String) {
        let text = "foo, s-maxage\(argument), max-age=x"
        #expect(
            Self.answer(text).sharedMaxAge ?? .zero == (argument == "=5 6" ? .seconds(5) : .zero))
        #expect(Self.answer(text).unreadable == nil)
        #expect(CacheDirectives(request: text).unreadable == "s-maxage")
    }

    @Test func windowsOfAnAnswerAreNotReadInARequest() {
        let text = "stale-while-revalidate=x, stale-if-error"
        #expect(Self.answer(text).staleIfError == .zero)
        let request = CacheDirectives(request: text)
        #expect(request.staleIfError == nil && request.staleWhileRevalidate == nil)
        #expect(request.unreadable == nil)
    }

    @Test func secondsHaveABoundForEachSide() {
        let text = "max-age=" + String(repeating: "9", count: 99)
        #expect(Self.answer(text).maxAge == .seconds(Int64(1) << 31))
        #expect(CacheDirectives(request: text).maxAge == .seconds(Int64(1) << 40))
    }

    @Test func namesOfFieldsNarrowOnlyDirectivesOfAnAnswer() {
        let text = "no-cache=\"X-Other\", private=\"X-Other\""
        #expect(!Self.answer(text).forbidsReuse && !Self.answer(text).isPrivate)
        let request = CacheDirectives(request: text)
        #expect(request.forbidsReuse && request.isPrivate)
    }

    @Test(arguments: ["max-age=7", "Max-Age=\"7\"", " , max-age=7 ,", "foo=\"bar\", max-age=7"])
    func whatBothSidesReadIsTheSame(text: String) {
        #expect(Self.answer(text).maxAge == .seconds(7))
        #expect(CacheDirectives(request: text).maxAge == .seconds(7))
    }
}
