import ByteCoding
import CacheHTTP
import CacheModel
import GatewayCore
import Testing

@Suite struct NearCacheTests {
    @Test func theLimitsFitEachOther() { NearLimits.check() }

    @Test func aCachedValueIsServedWithItsAgeAndRemainingTTL() throws {
        var cache = Near.cache()
        var value = Near.value([1], at: 7)
        value.age = .seconds(3)
        value.timeToLive = .seconds(9)
        cache.read("k", value, at: Near.at(100))
        let answer = cache.value(for: Near.key("k"), ReadTerms(), at: Near.at(600))
        let found = try #require(answer)
        #expect(found.bytes == [1] && found.tier == .near)
        #expect(found.age == .milliseconds(3_500) && found.timeToLive == .milliseconds(8_500))
        #expect(found.position == Near.position(7))
        #expect(cache.bytes("other", at: Near.at(600)) == nil)
        #expect(cache.figures.hits == 1 && cache.figures.misses == 1)
    }

    @Test func whatAValuesBytesAreIsToldAgainAndCharged() throws {
        let page = Representation(
            contentType: RepresentationField("text/html"),
            contentEncoding: RepresentationField("gzip"))
        var costs: [Int] = []
        for representation in [Representation(), page] {
            var cache = Near.cache()
            var value = Near.value([1], at: 7)
            value.representation = representation
            cache.read("k", value, at: Near.at(0))
            let found = cache.value(for: Near.key("k"), ReadTerms(), at: Near.at(0))
            #expect(found?.representation == representation)
            costs.append(cache.figures.bytes)
        }
        #expect(costs[1] == costs[0] + page.stored.count)
    }

    @Test func nothingIsToldForLongerThanItWasAllowed() {
        var cache = Near.cache(ageMax: .milliseconds(500))
        cache.read("k", Near.value([1], at: 5), at: Near.at(0))
        #expect(cache.bytes("k", at: Near.at(499)) == [1])
        #expect(cache.bytes("k", at: Near.at(500)) == nil)
        #expect(cache.figures.entries == 0 && cache.figures.bytes == 0)
    }

    @Test func nothingIsToldBeyondItsTimeToLive() {
        var cache = Near.cache()
        var value = Near.value([1], at: 5)
        value.timeToLive = .milliseconds(200)
        cache.read("k", value, at: Near.at(0))
        #expect(cache.bytes("k", at: Near.at(200)) == [1])
        #expect(cache.bytes("k", at: Near.at(201)) == nil)
    }

    @Test func aReadBehindTheAppliedPositionIsNotCached() {
        var cache = Near.cache()
        cache.heard(Near.record(6, [Near.scope("k")]))
        cache.read("k", Near.value([1], at: 5), at: Near.at(0))
        #expect(cache.bytes("k", at: Near.at(0)) == nil)
        cache.read("k", Near.value([2], at: 6), at: Near.at(0))
        #expect(cache.bytes("k", at: Near.at(0)) == [2])
    }

    @Test func aRecordDropsItsKeysAndOneOfAnythingElseDropsEverything() throws {
        let tag = try #require(Tag("t"))
        for scope in [
            Scope(.tag(tag, in: .default)), Scope(.prefix([1], in: .default)),
            Scope(.namespace(.default)), Scope(.everything),
        ] {
            var cache = Near.cache()
            for name in ["a", "b"] { cache.read(name, Near.value([1], at: 5), at: Near.at(0)) }
            cache.heard(Near.record(6, [Near.scope("a")]))
            #expect(cache.bytes("a", at: Near.at(0)) == nil)
            #expect(cache.bytes("b", at: Near.at(0)) == [1])
            cache.heard(Near.record(7, [scope]))
            #expect(cache.bytes("b", at: Near.at(0)) == nil)
            #expect(cache.figures.dropped == 2 && cache.figures.bytes == 0)
        }
    }

    @Test func aKeyOfAnotherNamespaceStays() throws {
        var cache = Near.cache()
        cache.read("k", Near.value([1], at: 5), at: Near.at(0))
        let other = try #require(Namespace("other"))
        cache.heard(Near.record(6, [Scope(.key(Near.key("k").key, in: other))]))
        #expect(cache.bytes("k", at: Near.at(0)) == [1])
    }

    @Test func whatIsToldIsRightAsOfTheLastRecordHeard() {
        var cache = Near.cache()
        cache.read("k", Near.value([1], at: 6), at: Near.at(0))
        cache.heard(Near.record(9, [Near.scope("other")]))
        let found = cache.value(for: Near.key("k"), ReadTerms(), at: Near.at(0))
        #expect(found?.position == Near.position(9))
    }

    @Test func aReadMissesTheNearCacheUnlessItsTermsAreMet() {
        var cache = Near.cache()
        var value = Near.value([1], at: 6)
        value.cluster = ClusterID(0xA)
        cache.read("k", value, at: Near.at(0))
        func terms(_ change: (inout ReadTerms) -> Void) -> ReadTerms {
            var terms = ReadTerms()
            change(&terms)
            return terms
        }
        let refused = [
            terms { $0.atLeast = Near.position(7) }, terms { $0.isFresh = true },
            terms { $0.atLeast = Near.position(1, epoch: 2) },
            terms { $0.atLeast = Near.position(9, epoch: 0) },
            terms { $0.maxAge = .milliseconds(99) },
            terms {
                $0.atLeast = Near.position(6)
                $0.atLeastCluster = ClusterID(0xB)
            },
        ]
        for terms in refused { #expect(cache.bytes("k", terms, at: Near.at(100)) == nil) }
        let served = [
            terms { $0.atLeast = Near.position(6) }, terms { $0.isOnlyIfCached = true },
            terms { $0.maxAge = .milliseconds(100) }, terms { $0.staleness = .any },
            terms {
                $0.atLeast = Near.position(6)
                $0.atLeastCluster = ClusterID(0xA)
            },
        ]
        for terms in served { #expect(cache.bytes("k", terms, at: Near.at(100)) == [1]) }
    }

    @Test func whatANodeDoesNotVouchForIsNotKept() {
        let changes: [(inout FoundValue) -> Void] = [
            { $0.isStale = true }, { $0.isSoftInvalidated = true }, { $0.isOvertaken = true },
            { $0.mustNotBeKept = true }, { $0.timeToLive = .zero },
            { $0.state = .suspect }, { $0.state = .catchingUp }, { $0.state = nil },
            { $0.position = Near.position(5, epoch: 2) },
            { $0.bytes = [UInt8](repeating: 0, count: NearLimits.valueBytesMax + 1) },
        ]
        for change in changes {
            var cache = Near.cache()
            var value = Near.value([1], at: 5)
            change(&value)
            cache.read("k", value, at: Near.at(0))
            #expect(cache.bytes("k", at: Near.at(0)) == nil)
            #expect(cache.figures.kept == 0)
        }
    }

    @Test func aReadThatBeganBeforeAChangeMadeHereIsNotKept() throws {
        let tag = try #require(Tag("t"))
        let changes: [(inout NearCache) -> Void] = [
            { $0.forget(Near.key("k")) }, { $0.forget([Near.scope("k")]) },
            { $0.forget([Scope(.tag(tag, in: .default))]) },
        ]
        for change in changes {
            var cache = Near.cache()
            let ticket = cache.ticket(for: Near.key("k"), at: Near.at(0))
            change(&cache)
            cache.keep(Near.value([1], at: 5), for: Near.key("k"), since: ticket, at: Near.at(1))
            #expect(cache.bytes("k", at: Near.at(1)) == nil)
            cache.read("k", Near.value([2], at: 5), at: Near.at(2))
            #expect(cache.bytes("k", at: Near.at(2)) == [2])
            change(&cache)
            #expect(cache.bytes("k", at: Near.at(2)) == nil)
        }
    }

    @Test func nothingIsKeptWhileTheLogIsNotFollowed() {
        var cache = NearCache(bytesMax: 1 << 20)
        cache.read("k", Near.value([1], at: 5), at: Near.at(0))
        #expect(cache.bytes("k", at: Near.at(0)) == nil)
        cache.beat(head: Near.position(5))
        cache.read("k", Near.value([1], at: 5), at: Near.at(0))
        #expect(cache.bytes("k", at: Near.at(0)) == [1])
        cache.cut()
        #expect(cache.bytes("k", at: Near.at(0)) == nil)
        cache.read("k", Near.value([1], at: 5), at: Near.at(0))
        #expect(cache.bytes("k", at: Near.at(0)) == nil)
    }

    @Test func aGapAndAnotherEpochDropEverything() {
        var cache = Near.cache()
        cache.read("k", Near.value([1], at: 5), at: Near.at(0))
        cache.follows(after: Near.position(90))
        #expect(cache.bytes("k", at: Near.at(0)) == nil)
        cache.read("k", Near.value([1], at: 90), at: Near.at(0))
        cache.heard(Near.record(1, [Near.scope("other")], epoch: 2))
        #expect(cache.bytes("k", at: Near.at(0)) == nil)
        cache.read("k", Near.value([1], at: 91), at: Near.at(0))
        #expect(cache.bytes("k", at: Near.at(0)) == nil, "a node of the epoch before")
    }

    @Test func theOldestGoWhereThereIsNoRoom() {
        var cache = Near.cache(bytesMax: NearLimits.bytesMin)
        let size = 8_000
        for number in 0..<20 {
            cache.read(
                "k\(number)", Near.value([UInt8](repeating: 1, count: size), at: 5),
                at: Near.at(0))
            #expect(cache.figures.bytes <= NearLimits.bytesMin)
        }
        #expect(cache.bytes("k0", at: Near.at(0)) == nil)
        #expect(cache.bytes("k19", at: Near.at(0)) != nil)
        #expect(cache.figures.evicted == UInt64(20 - cache.figures.entries))
    }

    @Test func keepingOneKeyAgainAndAgainTakesNoMoreRoom() {
        var cache = Near.cache()
        for number in 0..<10_000 {
            cache.read("k", Near.value([1], at: 5), at: Near.at(Int64(number % 2)))
        }
        #expect(cache.figures.entries == 1)
        #expect(cache.placesCount <= 2 + NearLimits.slack + 1)
    }
}
