import CommandSurface
import Testing

@testable import MartletClient
@testable import martlet

@Suite struct ScanListingTests {
    private func entry(_ key: String, ttl: Duration? = nil) throws -> ScanEntry {
        ScanEntry(
            key: try Sample.key(key), valueBytes: 100, timeToLive: ttl,
            node: try Sample.node("n1"))
    }

    @Test func keysAreListedWithBytesAndTimeLeft() throws {
        var listing = ScanListing(style: .plain)
        #expect(listing.add(try entry("a", ttl: .seconds(90))) == nil)
        #expect(listing.add(try entry("long\nkey")) == nil)
        #expect(
            listing.rest().text == """
                key        bytes    ttl
                a            100  1m30s
                long\\nkey    100   none

                """)
        #expect(listing.rest() == CommandOutput())
        #expect(listing.count == 2)
    }

    @Test func theHottestAreListedWithTheirHeat() throws {
        var listing = ScanListing(style: .plain, columns: .withHeat)
        var hot = try entry("a")
        hot.heat = 99
        #expect(listing.add(hot) == nil)
        #expect(
            listing.rest().text == """
                key  bytes   ttl  heat
                a      100  none    99

                """)
    }

    /// What reads them takes every byte but the end of the line for the key.
    @Test func keysAloneAreExactlyThemselves() throws {
        var listing = ScanListing(style: .plain, columns: .keys)
        for key in ["a b", "zwölf", "two\nlines"] { _ = listing.add(try entry(key)) }
        let rest = listing.rest()
        #expect(rest.text == "a b\nzwölf\n")
        #expect(rest.complaints == ["two\\nlines is left out: it does not fit a line"])
    }

    @Test func aFullPageIsHandedOutAndTheNextHasNoTitles() throws {
        var listing = ScanListing(style: .plain)
        var pages: [CommandOutput] = []
        for number in 1...ScanListing.pageLines * 2 + 1 {
            if let page = listing.add(try entry("k\(number)")) { pages.append(page) }
        }
        pages.append(listing.rest())
        let lines = pages.map { $0.text.split(separator: "\n") }
        #expect(lines.map(\.count) == [ScanListing.pageLines + 1, ScanListing.pageLines, 1])
        #expect(lines[0][0].hasPrefix("key"))
        #expect(lines[1][0].hasPrefix("k257 "))
        #expect(lines[2][0].hasPrefix("k513 "))
    }

    @Test func anEmptyScanSaysNothing() {
        var listing = ScanListing(style: .plain)
        #expect(listing.rest() == CommandOutput())
    }

    @Test func jsonIsALineForEachKey() throws {
        var listing = ScanListing(style: .json)
        _ = listing.add(try entry("a", ttl: .seconds(1)))
        _ = listing.add(try entry("b"))
        #expect(
            listing.rest().text == """
                {"key":"a","bytes":100,"ttl_ms":1000,"node":"n1"}
                {"key":"b","bytes":100,"ttl_ms":null,"node":"n1"}

                """)
    }
}
