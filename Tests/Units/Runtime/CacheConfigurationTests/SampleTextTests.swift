import CacheConfiguration
import Testing

@Suite struct SampleTextTests {
    @Test(
        arguments: [
            ("off", nil), ("1/1", 1), ("1/1000", 1_000), ("1/1000000000", 1_000_000_000),
        ] as [(String, Int?)])
    func aSampleIsReadAsItIsWritten(text: String, every: Int?) throws {
        #expect(try SampleText.parse(text) == every)
        #expect(SampleText.format(every) == text)
    }

    @Test(arguments: [
        "", "1000", "1/0", "1/", "2/3", "1/-1", "1/+1", "1/1000000001", "1/99999999999", "1/1e3",
        "on", " 1/2",
    ])
    func whatIsNoneIsRefusedWithARemedy(text: String) {
        let problem = #expect(throws: TextProblem.self) { _ = try SampleText.parse(text) }
        #expect(problem?.sentence.contains("give 1/N, such as 1/1000") == true)
    }

    @Test func theFileSaysItOfANode() throws {
        let text = "nodes: [{id: n1, sample-log: 1/50}, {id: n2, sample-log: off}, {id: n3}]\n"
        let configuration = try ClusterConfiguration.parse(text, fileName: "f")
        #expect(configuration.nodes.map(\.sampleEvery) == [50, nil, nil])
        #expect(
            ConfigurationSamples.refusal(of: "nodes: [{id: n1, sample-log: 50}]\n") == [
                "f:1:30: nodes[0].sample-log: \"50\" is no sample; give 1/N, such as 1/1000, "
                    + "with N up to 1000000000, or off"
            ])
    }
}
