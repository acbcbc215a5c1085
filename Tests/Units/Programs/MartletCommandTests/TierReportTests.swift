import CacheDisk
import CommandSurface
import Testing

@testable import martlet

@Suite struct TierReportTests {
    /// Three keys of which one is overwritten and one removed.
    private static func tier() throws -> SampleTier {
        let tier = try SampleTier()
        tier.set("a")
        tier.set("b", expires: 2)
        tier.set("a")
        tier.set("c")
        tier.remove("c")
        return tier
    }

    private static func report(
        _ image: [UInt8], flipped: [Int] = [], isInUse: Bool = false, verifies: Bool = true
    ) throws -> TierReport {
        let found = try SampleTier.facts(image, flipped: flipped, verifies: verifies)
        return TierReport(path: "/d/shard-2.tier", facts: found.facts, isInUse: isInUse)
    }

    private static let told = """
        /d/shard-2.tier
        owner        node n1, shard 2 of 4, incarnation 17
        file         44KiB, format 4: 6 segments of 4KiB, tail of 8KiB, 2 checkpoints of 4KiB
        state        closed in order on 2023-11-14T22:14:20Z
        checkpoints  3:40 of log 7f (number 2), 3:40 of log 7f (number 1)
        tail         records in 1 of 8 slots, applied through 3:41

        segment  state   bytes  records  tombstones  parts  live  live bytes  share  expired  damage
              1  active   144B        5           1      0     2         64B  44.4%        1       0
            all           144B        5           1      0     2         64B  44.4%        1       0

        free         5 segments
        checked      every record
        verdict      a node recovers 2 entries

        """

    @Test func aTierThatWasClosedIsToldInLinesThatAlign() throws {
        let tier = try Self.tier()
        tier.close()
        let output = try Self.report(tier.image).output(.plain)
        #expect(output.text == Self.told)
        #expect(output.status == .done && output.complaints.isEmpty)
    }

    @Test func damageIsNamedWithItsPlaceAndEndsWith5() throws {
        let tier = try Self.tier()
        tier.close()
        // What the tail still holds too is written once more by a node: both places.
        let places = [tier.firstRecord + 40, tier.firstRecordInTail + 40, 4_096 + 20]
        let output = try Self.report(tier.image, flipped: places).output(.plain)
        #expect(output.text.contains("damage       checkpoint 0\n"))
        #expect(output.text.contains("\n             segment 1: 1 damaged stretch\n"))
        #expect(output.text.contains("the log is damaged, and what lay before that is void"))
        #expect(output.status == .violation)
    }

    /// What is being written looks torn; nobody should be told that it is damage.
    @Test func damageInATierThatIsInUseIsNotCertain() throws {
        let tier = try Self.tier()
        let whole = try Self.report(tier.image, isInUse: true).output(.plain)
        #expect(whole.text.contains("state        open, in use since 2023-11-14T22:13:20Z"))
        #expect(whole.status == .done && whole.complaints.isEmpty)
        let torn = try Self.report(tier.image, flipped: [4_096 + 20], isInUse: true)
            .output(.plain)
        #expect(torn.status == .incomplete)
        #expect(torn.complaints.first?.contains("inspect it again") == true)
    }

    @Test func aTierThatIsDiscardedSaysWhy() throws {
        let tier = try Self.tier()
        var machine = SampleTier.machine
        machine.boot = BootID(high: 7, low: 7)
        let found = try SampleTier.facts(tier.image, machine: machine)
        let output = TierReport(path: "p", facts: found.facts, isInUse: false).output(.plain)
        #expect(output.text.contains("open since 2023-11-14T22:13:20Z, and not closed in order"))
        #expect(
            output.text.contains(
                "discards it and starts empty: the machine was not shut down in order"))
        #expect(output.status == .done, "it is whole all the same")
    }

    @Test func whatWasNotReadIsNotCounted() throws {
        let text = try Self.report(try Self.tier().image, verifies: false).output(.plain).text
        #expect(text.contains("checked      footers, and the records of segments without one"))
        #expect(text.contains("44.4%        –       0"))
    }

    @Test func jsonIsOneObjectWithTheSame() throws {
        let tier = try Self.tier()
        tier.close()
        let text = try Self.report(tier.image).output(.json).text
        #expect(text.hasPrefix(#"{"path":"/d/shard-2.tier","format":"4","node":"n1","shard":2,"#))
        #expect(text.contains(#""in_use":false,"closed":true,"calendar_ms":1700000060000,"#))
        #expect(text.contains(#""checkpoints":[{"state":"whole","counter":2,"log":"7f","#))
        #expect(text.contains(#""unsafe":false,"obeyed":"3:41"}"#))
        #expect(
            text.contains(
                #""segments":[{"segment":1,"state":"active","void":false,"header":"whole","#
                    + #""footer":null,"end_known":true,"bytes":144,"records":5,"tombstones":1,"#))
        #expect(
            text.hasSuffix(
                #""damage":0,"damage_at":[],"verdict":"recovers","entries":2,"reason":null}"#
                    + "\n"))
        #expect(text.split(separator: "\n").count == 1)
    }

    @Test func recordsAreListedWithWhatBecameOfThem() throws {
        let tier = try SampleTier()
        tier.set("a\u{1B}[31m")
        tier.set("b", expires: 60_000)
        tier.remove("b")
        let found = try SampleTier.facts(tier.image)
        var listing = RecordListing(found.facts.plan, path: "p", style: .plain)
        for record in found.records { _ = listing.add(record) }
        #expect(
            listing.rest().text == """
                segment  offset  bytes  state      namespace  key        version  fill  expires
                      1      32     40  live       default    a\\x1b[31m        –    39     none
                      1      72     32  removed    default    b                –    39    59.9s
                      1     104     16  tombstone  –          –                –     –        –

                """)
        var lines = RecordListing(found.facts.plan, path: "p", style: .json)
        for record in found.records { _ = lines.add(record) }
        let json = lines.rest().text
        #expect(json.hasPrefix(#"{"path":"p","segment":1,"offset":32,"bytes":40,"state":"live","#))
        #expect(json.contains(#""namespace":"default","key":"b","value_bytes":1,"version":null,"#))
        #expect(json.contains(#""ttl_ms":59995,"soft":false,"fenced":true}"#))
    }

    @Test func wrongUsageIsOneLineAndEndsWith64() throws {
        let ending = try Sample.ending("inspect --fast --records a")
        #expect(ending.status == 64)
        #expect(ending.complaint.contains("--records reads every record: it excludes --fast"))
        #expect(try Sample.ending("inspect").complaint.contains("Missing expected argument"))
    }
}
