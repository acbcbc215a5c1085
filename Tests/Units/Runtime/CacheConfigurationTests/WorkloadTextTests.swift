import CacheConfiguration
import CacheWorkload
import Testing

/// How distributions, sizes, mixes and speeds are written.
@Suite struct WorkloadTextTests {
    private static func refusal<Value>(_ parse: () throws(TextProblem) -> Value) -> String? {
        do throws(TextProblem) {
            _ = try parse()
            return nil
        } catch {
            return error.sentence
        }
    }

    @Test(
        arguments: [
            ("uniform", .uniform), ("sequential", .sequential),
            ("zipf:0.99", .zipf(exponent: 0.99)),
            ("zipf:2", .zipf(exponent: 2)), ("zipf:0.000001", nil),
            ("latest:1.1", .latest(exponent: 1.1)),
            ("hotset:0.9:0.01", .hotSet(requestShare: 0.9, keyShare: 0.01)),
            ("hotset:1:0.000001", .hotSet(requestShare: 1, keyShare: 0.000_001)),
        ] as [(String, KeyDistribution?)])
    func aDistributionIsReadAndWrittenTheSame(text: String, distribution: KeyDistribution?) throws {
        guard let distribution else {
            #expect(throws: TextProblem.self) { try KeyDistributionText.parse(text) }
            return
        }
        #expect(try KeyDistributionText.parse(text) == distribution)
        #expect(KeyDistributionText.format(distribution) == text)
    }

    @Test func theExponentMayBeLeftOut() throws {
        #expect(try KeyDistributionText.parse("zipf") == .zipf(exponent: 0.99))
        #expect(try KeyDistributionText.parse("latest") == .latest(exponent: 0.99))
    }

    @Test(arguments: [
        ("zip:1", "\"zip:1\" is not a distribution; did you mean zipf?"),
        (
            "gauss",
            "\"gauss\" is not a distribution; give uniform, sequential, zipf:0.99, "
                + "hotset:0.9:0.01 or latest:0.99"
        ),
        ("zipf:0", "\"0\" is too small for an exponent; give 0.01 to 9.99"),
        ("zipf:10", "\"10\" is too large for an exponent; give 0.01 to 9.99"),
        ("zipf:hot", "\"hot\" is not an exponent; give 0.01 to 9.99"),
        ("zipf:-1", "\"-1\" is not an exponent; give 0.01 to 9.99"),
        ("zipf:1:2", "zipf takes one number; write zipf:0.99"),
        ("uniform:1", "uniform takes no number; write uniform"),
        (
            "hotset:0.9",
            "\"hotset:0.9\" does not say how hot which set is; give the share of requests and the "
                + "share of keys they go to, such as hotset:0.9:0.01"
        ),
        ("hotset:1.5:0.1", "\"1.5\" is too large for a share of the requests; give 0.000001 to 1"),
        ("hotset:0.5:0", "\"0\" is too small for a share of the keys; give 0.000001 to 1"),
        (
            "zipf:0.12345678",
            "\"0.12345678\" has more than six digits after the point; write 0.123457"
        ),
    ])
    func whatIsNoDistributionIsRefusedWithARemedy(text: String, sentence: String) {
        #expect(
            Self.refusal { () throws(TextProblem) in try KeyDistributionText.parse(text) }
                == sentence)
    }

    @Test(
        arguments: [
            ("100B", .fixed(100)), ("16B..1KiB", .uniform(16...1_024)),
            (
                "64B:0.7,1KiB..4KiB:0.25,64KiB:0.05",
                SizeDistribution([
                    .init(64...64, weight: 0.7), .init(1_024...4_096, weight: 0.25),
                    .init(65_536...65_536, weight: 0.05),
                ])
            ),
            ("0B", .fixed(0)),
        ] as [(String, SizeDistribution)])
    func sizesAreReadAndWrittenTheSame(text: String, sizes: SizeDistribution) throws {
        #expect(try SizeDistributionText.parse(text, in: 0...(1 << 20)) == sizes)
        #expect(SizeDistributionText.format(sizes) == text)
    }

    @Test func spacesAfterCommasAndTheWeightOfOneAloneAreTaken() throws {
        let sizes = try SizeDistributionText.parse("64B:2, 1KiB:3", in: 0...4_096)
        #expect(SizeDistributionText.format(sizes) == "64B:2,1KiB:3")
        #expect(try SizeDistributionText.parse("64B:7", in: 0...4_096) == .fixed(64))
    }

    @Test(arguments: [
        ("100", "\"100\" has no unit; write 100B if bytes are meant"),
        ("8KiB", "\"8KiB\" is too large; give 16B to 4KiB"),
        ("16B..8KiB", "\"8KiB\" is too large; give 16B to 4KiB"),
        ("1KiB..16B", "\"1KiB..16B\" ends before it begins; write 16B..1KiB"),
        ("16B..17B..18B", "\"16B..17B..18B\" is no range; write one such as 16B..1KiB"),
        ("16B:1,32B", "\"32B\" has no weight; give each part one, such as 64B:0.7,1KiB:0.3"),
        ("16B:1,", "\"16B:1,\" has an empty part; write a list such as 64B:0.7,1KiB:0.3"),
        ("16B:0,32B:1", "\"16B\" has a weight of 0; leave it out, or give it one"),
        ("16B:x,32B:1", "\"x\" is not a weight; give 0.000001 to 1000000"),
        ("", "\"\" has an empty part; write a list such as 64B:0.7,1KiB:0.3"),
    ])
    func whatIsNoSizesIsRefusedWithARemedy(text: String, sentence: String) {
        #expect(
            Self.refusal { () throws(TextProblem) in
                try SizeDistributionText.parse(text, in: 16...4_096)
            } == sentence)
    }

    @Test func aListOfSizesEnds() {
        let text = Array(repeating: "16B:1", count: 33).joined(separator: ",")
        #expect(
            Self.refusal { () throws(TextProblem) in
                try SizeDistributionText.parse(text, in: 16...4_096)
            } == "there are 33 parts; give at most 32")
    }

    @Test func everyKindIsReadAndWrittenTheSame() throws {
        let text = "get:5,set:2,insert:1,delete:0.5,invalidate:0.25,read-modify-write:1,scan:0.1"
        let (mix, ycsb) = try OperationMixText.parse(text)
        #expect(mix.parts.map(\.kind) == OperationKind.allCases)
        #expect(OperationMixText.format(mix) == text)
        #expect(ycsb == nil)
        #expect(try OperationMixText.parse("get").mix == .only(.get))
        #expect(OperationMixText.format(.only(.get)) == "get")
    }

    @Test(arguments: YCSBWorkload.allCases)
    func aMixOfYCSBIsReadByItsName(workload: YCSBWorkload) throws {
        let (mix, ycsb) = try OperationMixText.parse(workload.rawValue)
        #expect(mix == workload.mix && ycsb == workload)
        #expect(try OperationMixText.parse(OperationMixText.format(mix)).mix == mix)
    }

    @Test(arguments: [
        ("gets", "\"gets\" is not an operation; did you mean get?"),
        ("ycsb-g", "\"ycsb-g\" is not an operation; did you mean ycsb-a?"),
        (
            "get:0.5,ycsb-a:0.5",
            "ycsb-a is a whole mix; give it alone, without a weight"
        ),
        (
            "lookup:1",
            "\"lookup\" is not an operation; give get, set, insert, delete, invalidate, "
                + "read-modify-write, scan, or ycsb-a to ycsb-f alone"
        ),
        ("get:1,get:2", "get is there twice; give it one weight"),
        ("get,set", "\"get\" has no weight; give each part one, such as get:0.9,set:0.1"),
        ("get:0.9;set:0.1", "\"0.9;set:0.1\" is not a weight; give 0.000001 to 1000000"),
    ])
    func whatIsNoMixIsRefusedWithARemedy(text: String, sentence: String) {
        #expect(
            Self.refusal { () throws(TextProblem) in try OperationMixText.parse(text) } == sentence)
    }

    @Test func aSpeedIsReadAndWrittenTheSame() throws {
        for (text, speed) in [("1x", 1.0), ("10x", 10), ("0.5x", 0.5), ("1000000x", 1e6)] {
            #expect(try TraceSpeedText.parse(text) == speed)
            #expect(TraceSpeedText.format(speed) == text)
        }
    }

    @Test(arguments: [
        ("10", "\"10\" is not a speed; write 1x for as it was recorded, or such as 10x"),
        ("", "\"\" is not a speed; write 1x for as it was recorded, or such as 10x"),
        ("0x", "\"0\" is too small for a speed; give 0.001 to 1000000"),
        ("fastx", "\"fast\" is not a speed; give 0.001 to 1000000"),
    ])
    func whatIsNoSpeedIsRefusedWithARemedy(text: String, sentence: String) {
        #expect(
            Self.refusal { () throws(TextProblem) in try TraceSpeedText.parse(text) } == sentence)
    }
}
