import CacheModel
import CommandSurface
import Testing

@testable import MartletClient
@testable import martlet

@Suite struct TailLineTests {
    private func record(
        _ scopes: [Scope], _ strength: InvalidationRecord.Strength = .hard
    ) -> InvalidationStream.Event {
        .record(
            InvalidationRecord(
                position: Sample.position(17), previousDigest: LogDigest(0), operation: .none,
                strength: strength, scopes: scopes))
    }

    @Test func aRecordIsALine() throws {
        let images = try #require(Namespace("images"))
        let quarter: ClosedRange<UInt64> = (1 << 62)...(1 << 63 - 1)
        let scopes = [
            Scope(.tag(try Sample.tag("news"), in: images)),
            Scope(.key(try Sample.key("a\nb"), in: .default), minimumVersion: Version(3)),
        ]
        #expect(
            TailLine(record(scopes)).output(.plain).text
                == "1:17        hard  tag news in images, key a\\nb below version 3\n")
        #expect(
            TailLine(record([Scope(.everything, hashRange: quarter)], .soft)).output(.plain).text
                == "1:17        soft  everything (25%–50% of the keys)\n")
        #expect(
            TailLine(record(scopes, .soft)).output(.json).text == """
                {"event":"record","position":"1:17","strength":"soft","scopes":[\
                {"kind":"tag","name":"news","namespace":"images"},\
                {"kind":"key","name":"a\\nb","namespace":"default","min_version":3}],\
                "operation":null,"issuer":null,"applied":null,"expired":null,"pending":null}

                """)
    }

    @Test func aLineBeginsWithTheTimeOfDay() throws {
        let moment = TailMoment(milliseconds: 1_764_284_405_120)
        let line = TailLine(record([Scope(.everything)]), at: moment)
        let text = line.output(.plain).text
        #expect(text.wholeMatch(of: /\d\d:\d\d:05\.120  1:17        hard  everything\n/) != nil)
        #expect(
            line.output(.json).text.hasSuffix(
                #""pending":null,"at":"2025-11-27T23:00:05.120Z"}"# + "\n"))
    }

    @Test func thatItListensIsSaidWithThePlaceWhereTheLogEnds() {
        #expect(
            TailScreen.greeting(.heartbeat(head: Sample.position(9)))
                == "listening for invalidations, the log ends at 1:9; Ctrl-C ends it")
        #expect(
            TailScreen.greeting(record([Scope(.everything)]))
                == "listening for invalidations; Ctrl-C ends it")
    }

    @Test func theReceiptEndsTheLine() throws {
        var receipt = InvalidationReceipt(
            position: Sample.position(17), wait: .all, isComplete: false, nearCacheDelay: .zero,
            applied: [.init(node: try Sample.node("n1"), elapsed: .microseconds(1_200))],
            expired: [], pending: [try Sample.node("n2")], issuer: Issuer("ada@box"))
        let event = record([Scope(.everything)])
        func text(_ receipt: TailLine.Receipt) -> String {
            TailLine(event, receipt: receipt).output(.plain).text
        }
        #expect(
            text(.told(receipt))
                == "1:17        hard  everything  · ada@box · 1/2 nodes 1.2 ms, pending n2\n")
        #expect(text(.unknown) == "1:17        hard  everything  · …\n")
        #expect(
            TailLine(event, receipt: .told(receipt)).output(.json).text.hasSuffix(
                """
                "operation":null,"issuer":"ada@box","applied":[{"node":"n1","ms":1.2}],\
                "expired":[],"pending":[{"node":"n2"}]}

                """))
        receipt.issuer = nil
        #expect(text(.told(receipt)).contains("  · – · 1/2 nodes"))
    }

    @Test func manyScopesAreCounted() throws {
        let scopes = try (0..<12).map { Scope(.tag(try Sample.tag("t\($0)"), in: .default)) }
        let text = TailLine(record(scopes)).output(.plain).text
        #expect(text.hasSuffix("tag t6, tag t7, and 4 more\n"), "\(text)")
    }

    @Test func aRecordOfANewerFormSaysSo() {
        let record = InvalidationRecord(
            ofNewerFormAt: Sample.position(17), previousDigest: LogDigest(0))
        #expect(
            TailLine(.record(record)).output(.plain).text
                == "1:17        a record of a newer form, perhaps about everything; upgrade this "
                + "program to read it\n")
        #expect(
            TailLine(.record(record)).output(.json).text == """
                {"event":"record","position":"1:17","strength":"hard",\
                "scopes":[{"kind":"all"}],"operation":null,"issuer":null,"applied":null,\
                "expired":null,"pending":null,"newer_form":true}

                """)
    }

    @Test func historyThatIsGoneIsSaid() {
        let event = InvalidationStream.Event.lost(
            after: Sample.position(1), continuingAfter: Sample.position(9))
        let text = TailLine(event).output(.plain)
        #expect(text.bytes.isEmpty)
        #expect(
            text.complaints == [
                "history is gone: the publisher no longer has what came after 1:1 up to 1:9; "
                    + "going on after that"
            ])
        #expect(
            TailLine(event).output(.json).text
                == "{\"event\":\"lost\",\"after\":\"1:1\",\"continuing_after\":\"1:9\"}\n")
        let future = InvalidationStream.Event.lost(
            after: Sample.position(9), continuingAfter: Sample.position(1))
        #expect(
            TailLine(future).output(.plain).complaints == [
                "1:9 is beyond the log, which ends at 1:1; going on after that"
            ])
        let other = InvalidationStream.Event.lost(
            after: Sample.position(1), continuingAfter: Sample.position(9, epoch: 2))
        #expect(
            TailLine(other).output(.plain).complaints.first?.contains("1:1 is of another log")
                == true)
    }

    /// Another cluster's log may end at the same number.
    @Test func aLossWithEqualPositionsIsReported() {
        let event = InvalidationStream.Event.lost(
            after: Sample.position(9), continuingAfter: Sample.position(9))
        let text = TailLine(event).output(.plain)
        #expect(text.bytes.isEmpty)
        #expect(
            text.complaints == [
                "history is gone: the log is another one, which ends at 1:9, too; going on after "
                    + "that"
            ])
        let json = TailLine(event, of: ClusterID(0xA)).output(.json)
        #expect(
            json.text
                == "{\"event\":\"lost\",\"after\":\"1:9\",\"continuing_after\":\"1:9\","
                + "\"cluster\":\"000000000000000a\"}\n")
        #expect(json.complaints == text.complaints)
    }

    @Test func heartbeatsAreNotWorthALine() {
        let event = InvalidationStream.Event.heartbeat(head: Sample.position(1))
        #expect(TailLine(event).output(.plain) == CommandOutput())
        #expect(TailLine(event).output(.json) == CommandOutput())
    }
}
