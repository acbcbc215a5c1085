import CacheMetrics
import CacheModel
import Testing

/// What a page says in both forms, byte by byte.
@Suite struct MetricTextTests {
    private static let hits = MetricFamily(.counter, "martlet_hits", "Answers \"fresh\"\\\nand so.")
    private static let memory = MetricFamily(.gauge, "martlet_memory_bytes", "In use.")
    private static let build = MetricFamily(.info, "martlet_build", "A release.")
    private static let took = MetricFamily(.histogram, "martlet_load_seconds", "Of loads.")

    private static var page: MetricPage {
        var page = MetricPage()
        page.add(hits, [MetricLabel("namespace", "a\"b\\c\nd")], .count(3))
        page.add(memory, .number(0.5))
        page.add(hits, [MetricLabel("namespace", "é")], .count(.max))
        page.add(build, [MetricLabel("version", "1")], .count(1))
        return page
    }

    @Test func theOlderFormNamesCountersByTheirSamples() {
        #expect(
            Self.page.text(.prometheus) == #"""
                # HELP martlet_hits_total Answers "fresh"\\\nand so.
                # TYPE martlet_hits_total counter
                martlet_hits_total{namespace="a\"b\\c\nd"} 3
                martlet_hits_total{namespace="é"} 18446744073709551615
                # HELP martlet_memory_bytes In use.
                # TYPE martlet_memory_bytes gauge
                martlet_memory_bytes 0.5
                # HELP martlet_build_info A release.
                # TYPE martlet_build_info gauge
                martlet_build_info{version="1"} 1

                """#)
    }

    @Test func openMetricsHasUnitsAndAnEnd() {
        #expect(
            Self.page.text(.openMetrics) == #"""
                # TYPE martlet_hits counter
                # HELP martlet_hits Answers \"fresh\"\\\nand so.
                martlet_hits_total{namespace="a\"b\\c\nd"} 3
                martlet_hits_total{namespace="é"} 18446744073709551615
                # TYPE martlet_memory_bytes gauge
                # UNIT martlet_memory_bytes bytes
                # HELP martlet_memory_bytes In use.
                martlet_memory_bytes 0.5
                # TYPE martlet_build info
                # HELP martlet_build A release.
                martlet_build_info{version="1"} 1
                # EOF

                """#)
    }

    @Test func anEmptyPageStillEnds() {
        #expect(MetricPage().text(.prometheus).isEmpty)
        #expect(MetricPage().text(.openMetrics) == "# EOF\n")
    }

    @Test func aHistogramCountsUpAndEndsWithEverything() throws {
        var histogram = DurationHistogram(.long)
        for duration in [
            Duration.zero, .microseconds(250), .microseconds(251), .seconds(30), .seconds(31),
        ] { histogram.note(duration) }
        var page = MetricPage()
        page.add(Self.took, [MetricLabel("shard", "0")], .histogram(histogram))
        let lines = page.text(.openMetrics).split(separator: "\n").map(String.init)
        let first = try #require(lines.first { $0.contains("_bucket") })
        #expect(first == "martlet_load_seconds_bucket{shard=\"0\",le=\"0.00025\"} 2")
        #expect(lines.contains("martlet_load_seconds_bucket{shard=\"0\",le=\"0.0005\"} 3"))
        #expect(lines.contains("martlet_load_seconds_bucket{shard=\"0\",le=\"30.0\"} 4"))
        #expect(lines.contains("martlet_load_seconds_bucket{shard=\"0\",le=\"+Inf\"} 5"))
        #expect(lines.contains("martlet_load_seconds_count{shard=\"0\"} 5"))
        #expect(lines.contains("martlet_load_seconds_sum{shard=\"0\"} 61.000501"))
    }

    @Test(arguments: [DurationHistogram.Bounds.brief, .long])
    func boundsRise(bounds: DurationHistogram.Bounds) {
        let values = bounds.nanoseconds
        #expect(values == values.sorted() && Set(values).count == values.count)
    }

    @Test func aMomentBeforeTheStartCountsAsNothing() {
        var histogram = DurationHistogram(.brief)
        histogram.note(from: Instant(nanoseconds: 9), to: Instant(nanoseconds: 4))
        #expect(histogram.count == 1 && histogram.sumNanoseconds == 0)
    }

    @Test func twoPagesBecomeOneWithoutAFamilyTwice() {
        var page = Self.page
        page.add(Self.page)
        #expect(page.entries.map(\.family.name) == Self.page.entries.map(\.family.name))
        #expect(page.entries[0].samples.count == 4)
    }

    @Test(arguments: [
        (1.0, "1.0"), (Double.infinity, "+Inf"), (-Double.infinity, "-Inf"), (Double.nan, "NaN"),
        (1e-9, "1e-09"),
    ])
    func numbersAreWrittenAsReadersReadThem(number: Double, text: String) {
        var page = MetricPage()
        page.add(Self.memory, .number(number))
        #expect(page.text(.prometheus).hasSuffix("martlet_memory_bytes \(text)\n"))
    }
}
