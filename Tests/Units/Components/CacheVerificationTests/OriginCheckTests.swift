import CacheModel
import CacheVerification
import Testing

/// Which node is asked when whether it shows what its origin has, and what counts as a difference.
@Suite struct OriginCheckTests {
    private typealias Stand = StandingTranscript

    private static func stand(perSecond: Int = 1) -> StandingTranscript {
        StandingTranscript {
            $0.origins = OriginPlan(perSecond: perSecond, namespaces: [.default])
            $0.delays = [.seconds(1)]
        }
    }

    private static func value(_ digest: UInt64) -> ValueImprint {
        ValueImprint(valueBytes: 5, digest: digest, version: Version(digest))
    }

    private static func comparison(
        shown: ValueImprint?, origin: ValueImprint?, filled: UInt64 = 1
    ) -> OriginAnswer {
        let isSame = shown?.digest == origin?.digest
        var found = OriginComparison(
            isSame ? .same : .differs, .live, applied: Stand.position(9))
        (found.shown, found.origin) = (shown, origin)
        found.filled = Stand.position(filled)
        return .compared(found)
    }

    private static func other(_ verdict: OriginComparison.Verdict) -> OriginAnswer {
        .compared(OriginComparison(verdict, .live, applied: Stand.position(9)))
    }

    private static func learn(_ names: String..., in stand: inout StandingTranscript) {
        for name in names { stand.check.learn(Stand.key(name), tags: []) }
    }

    private static func figures(
        of stand: StandingTranscript, _ node: Int = 1
    ) -> OriginFigures {
        stand.check.origins.figures[Stand.node(node)] ?? OriginFigures()
    }

    // MARK: Whom

    @Test func valuesShownByANodeAreComparedWithTheOriginThere() throws {
        var stand = Self.stand()
        stand.hear(key: "a")
        #expect(stand.check.takeDueComparison(at: stand.now)?.node == nil)
        stand.wait(.seconds(1))
        let look = try #require(stand.looks().first)
        _ = stand.check.answered(
            look,
            [
                Stand.node(1): Stand.absent(applied: 1),
                Stand.node(2): Stand.answer(filled: 1, applied: 1),
            ], askedAt: stand.now, at: stand.now)
        var asked: [OriginLook] = []
        for _ in 0..<2 {
            if let look = stand.check.takeDueComparison(at: stand.now) { asked.append(look) }
            stand.wait(.seconds(1))
        }
        #expect(asked.map(\.key) == [Stand.key("a"), Stand.key("a")])
        #expect(asked.compactMap(\.node) == [Stand.node(2)])
    }

    @Test func keysThatWereSeenAnywhereHaveTheirTurn() {
        var stand = Self.stand()
        Self.learn("a", "b", "c", in: &stand)
        var names: [WatchedKey] = []
        for _ in 0..<6 {
            let look = stand.check.takeDueComparison(at: stand.now)
            #expect(look?.node == nil && look?.isSecond == false)
            if let look { names.append(look.key) }
            stand.wait(.seconds(1))
        }
        #expect(names.count == 6 && Set(names).count == 3)
    }

    @Test func otherNamespacesAreLeftAlone() throws {
        var stand = Self.stand()
        let elsewhere = try #require(Namespace("plain"))
        stand.check.learn(Stand.key("a", in: elsewhere), tags: [])
        #expect(stand.check.takeDueComparison(at: stand.now) == nil)
    }

    @Test func theRateHoldsAndNoneIsNone() {
        for (rate, expected) in [(0, 0), (1, 11), (3, 33)] {
            var stand = Self.stand(perSecond: rate)
            Self.learn("a", in: &stand)
            var count = 0
            for _ in 0...1_000 {
                while stand.check.takeDueComparison(at: stand.now) != nil { count += 1 }
                stand.wait(.milliseconds(10))
            }
            #expect(abs(count - expected) <= 1, "\(rate) a second: \(count)")
        }
    }

    // MARK: What counts

    /// Asks for the one key, and has n1 answer.
    private static func ask(
        _ stand: inout StandingTranscript, _ answer: OriginAnswer
    ) -> OriginLook? {
        let look = stand.check.takeDueComparison(at: stand.now)
        if let look { stand.check.compared(look, by: Stand.node(1), answer, at: stand.now) }
        return look
    }

    @Test func aDifferenceCountsWhenASecondLookFindsTheSame() throws {
        var stand = Self.stand()
        Self.learn("a", in: &stand)
        let answer = Self.comparison(shown: Self.value(1), origin: Self.value(2))
        #expect(Self.ask(&stand, answer)?.isSecond == false)
        #expect(Self.figures(of: stand) == OriginFigures())
        stand.wait(.seconds(5))
        let second = try #require(Self.ask(&stand, answer))
        #expect(second.isSecond && second.node == Stand.node(1))
        #expect(Self.figures(of: stand).differs == 1)
        let difference = try #require(stand.check.origins.differences.first)
        #expect(difference.key == Stand.key("a") && difference.node == Stand.node(1))
        #expect(difference.span == .seconds(5))
        #expect(difference.comparison.origin == Self.value(2))
        #expect(stand.check.tally.wrongCount == 0)
    }

    @Test func noSecondLookComesEarly() {
        var stand = Self.stand(perSecond: 100)
        Self.learn("a", in: &stand)
        _ = Self.ask(&stand, Self.comparison(shown: Self.value(1), origin: Self.value(2)))
        stand.wait(.milliseconds(4_999))
        #expect(Self.ask(&stand, Self.other(.notShown)) == nil)
        Self.learn("b", in: &stand)
        #expect(Self.ask(&stand, Self.other(.notShown))?.key == Stand.key("b"))
        stand.wait(.milliseconds(1))
        #expect(Self.ask(&stand, Self.other(.notShown))?.isSecond == true)
    }

    /// Whatever else the second look finds, the first one is not held against anybody.
    @Test func aDifferenceThatIsOverIsNone() {
        let first = Self.comparison(shown: Self.value(1), origin: Self.value(2))
        let endings: [(OriginAnswer, any KeyPath<OriginFigures, Int> & Sendable)] = [
            (Self.comparison(shown: Self.value(2), origin: Self.value(2)), \.same),
            (Self.comparison(shown: Self.value(3), origin: Self.value(2)), \.changed),
            (Self.comparison(shown: nil, origin: Self.value(2)), \.changed),
            (
                Self.comparison(shown: Self.value(1), origin: Self.value(2), filled: 2),
                \.changed
            ),
            (Self.comparison(shown: Self.value(1), origin: Self.value(3)), \.unsteady),
            (Self.comparison(shown: Self.value(1), origin: nil), \.unsteady),
            (Self.other(.changed), \.changed), (Self.other(.notShown), \.notShown),
            (Self.other(.pending), \.pending), (Self.other(.failed), \.failed),
            (.unanswered, \.unanswered), (.unsupported, \.unsupported),
        ]
        for (second, figure) in endings {
            var stand = Self.stand()
            Self.learn("a", in: &stand)
            _ = Self.ask(&stand, first)
            stand.wait(.seconds(5))
            #expect(Self.ask(&stand, second)?.isSecond == true)
            let figures = Self.figures(of: stand)
            #expect(figures[keyPath: figure] == 1, "\(second)")
            #expect(figures.differs == 0 && stand.check.origins.differences.isEmpty)
        }
    }

    @Test func aKeyIsToldOnceAndCountedEachTime() {
        var stand = Self.stand()
        Self.learn("a", in: &stand)
        let answer = Self.comparison(shown: Self.value(1), origin: nil)
        for _ in 0..<4 {
            #expect(Self.ask(&stand, answer) != nil)
            stand.wait(.seconds(5))
        }
        #expect(Self.figures(of: stand).differs == 2)
        #expect(stand.check.origins.differences.count == 1)
    }

    @Test func candidatesAndDoubtsAreBounded() {
        var stand = Self.stand(perSecond: 10_000)
        for index in 0..<2_000 { Self.learn("k\(index)", in: &stand) }
        var open = 0
        let answer = Self.comparison(shown: Self.value(1), origin: Self.value(2))
        for _ in 0..<2_000 { if Self.ask(&stand, answer) != nil { open += 1 } }
        #expect(open == 2_000)
        stand.wait(.seconds(5))
        var seconds = 0
        while let look = Self.ask(&stand, answer), look.isSecond { seconds += 1 }
        #expect(seconds == StandingLimits.doubtsMax)
    }
}
