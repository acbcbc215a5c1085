import CacheModel
import Testing

/// Terms are stored in front of the ETag, and nothing else is taken for them.
@Suite struct LoadTermsTests {
    private static func terms(_ while: Int, _ error: Int, _ isNegative: Bool = false) -> LoadTerms {
        LoadTerms(
            staleWhileRevalidate: .milliseconds(`while`), staleIfError: .milliseconds(error),
            isNegative: isNegative)
    }

    @Test(arguments: [terms(0, 0, true), terms(1, 0), terms(0, 4_294_967_295), terms(70_000, 9)])
    func theyAreReadAsTheyWereStored(terms: LoadTerms) {
        for etag in [nil, Validator("\"e\""), Validator(bytes: Array(repeating: 7, count: 245))] {
            terms.stored(with: etag).withUnsafeBytes { section in
                #expect(LoadTerms(stored: section) == terms)
                #expect(Array(LoadTerms.validator(in: section)) == etag?.bytes ?? [])
            }
        }
    }

    @Test func theBytesAreThoseOfTheDocument() {
        let bytes = Self.terms(0x0102, 0x0304_0506, true).stored(with: Validator("\"x\""))
        #expect(bytes == [0, 1, 2, 1, 0, 0, 6, 5, 4, 3] + Array("\"x\"".utf8))
    }

    static let lifetimes: [SaidFreshness.Lifetime?] = [
        nil, .seconds(0), .seconds(4_294_967_295), .expires(784_111_777),
    ]

    @Test(arguments: lifetimes)
    func whatAnAnswerSaidIsReadAsItWasStored(lifetime: SaidFreshness.Lifetime?) {
        for (loading, failing) in [(false, false), (true, false), (false, true), (true, true)] {
            var terms = Self.terms(70_000, 9)
            var said = SaidFreshness()
            said.lifetime = lifetime
            (said.hasWhileRevalidate, said.hasIfError) = (loading, failing)
            terms.said = said
            terms.stored(with: Validator("\"e\"")).withUnsafeBytes { section in
                #expect(LoadTerms(stored: section) == terms)
                #expect(Array(LoadTerms.validator(in: section)) == Array("\"e\"".utf8))
                #expect(LoadTerms.longestWindowNanoseconds(in: section) == 70_000_000_000)
            }
        }
    }

    @Test func whatAnAnswerSaidGivesWayToALongETag() {
        var terms = Self.terms(1, 1)
        terms.said = SaidFreshness()
        for (count, isKept) in [(241, true), (242, false), (245, false)] {
            let etag = Validator(bytes: Array(repeating: 7, count: count))
            terms.stored(with: etag).withUnsafeBytes { section in
                #expect((LoadTerms(stored: section)?.said != nil) == isKept)
                #expect(Array(LoadTerms.validator(in: section)) == etag?.bytes)
            }
        }
        #expect(terms.stored(with: nil).count == LoadTerms.storedBytes)
    }

    @Test func anETagThatHasNoRoomBesideThemIsLeftOut() {
        let long = Validator(bytes: Array(repeating: 7, count: 246))
        #expect(Self.terms(1, 1).stored(with: long).count == LoadTerms.storedBytes)
    }

    @Test(arguments: [[], [1], [UInt8](repeating: 9, count: 255), [0, 1, 2]])
    func anETagAloneHasNoTerms(section: [UInt8]) {
        section.withUnsafeBytes { bytes in
            #expect(LoadTerms(stored: bytes) == nil)
            #expect(Array(LoadTerms.validator(in: bytes)) == section)
        }
    }
}
