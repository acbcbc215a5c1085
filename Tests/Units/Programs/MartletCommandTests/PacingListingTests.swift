import CacheModel
import CommandSurface
import Testing

@testable import MartletClient
@testable import martlet

@Suite struct PacingListingTests {
    static func pacing(
        _ state: PacedInvalidation.State = .running, done: Int = 64
    ) throws -> PacedInvalidation {
        PacedInvalidation(
            id: PacingID(3), state: state, scopes: [Scope(.everything)], strength: .soft,
            isDurable: true, span: .seconds(30), sliceCount: 256, doneCount: done,
            left: .milliseconds(22_500), first: Sample.position(9), last: Sample.position(72))
    }

    @Test func eachIsALineWithHowFarItIs() throws {
        let ended = try Self.pacing(.cancelled)
        let output = PacingListing(pacings: [try Self.pacing(), ended]).output(.plain)
        #expect(
            output.text == """
                number  what                state      over  done   left  position
                     3  everything, softly  running     30s   25%  22.5s      1:72
                     3  everything, softly  cancelled   30s   25%      –      1:72

                """)
    }

    @Test func noneAreSaidToBeNone() {
        let output = PacingListing(pacings: []).output(.plain)
        #expect(output.text.hasPrefix("no invalidation takes its time; "))
        #expect(PacingListing(pacings: []).output(.json).text == "{\"pacings\":[]}\n")
    }

    @Test func jsonHasExactlyItsFields() throws {
        let output = PacingListing(pacings: [try Self.pacing()]).output(.json)
        #expect(
            output.text == """
                {"pacings":[{"id":3,"state":"running","scopes":[{"kind":"all"}],"soft":true,\
                "durable":true,"over_ms":30000,"slices":256,"done":64,"left_ms":22500,\
                "first":"1:9","position":"1:72"}]}

                """)
    }
}
