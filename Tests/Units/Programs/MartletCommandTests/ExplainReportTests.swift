import CacheModel
import CommandSurface
import Testing

@testable import MartletClient
@testable import martlet

@Suite struct ExplainReportTests {
    private func found(
        _ verdict: KeyExplanation.Verdict, entry: KeyExplanation.Entry? = nil,
        floors: [KeyExplanation.Floor] = []
    ) throws -> KeyExplanation {
        KeyExplanation(
            node: try Sample.node("n1"), verdict: verdict, state: .live,
            applied: Sample.position(42), leaseLeft: .milliseconds(2_400), loadLeft: nil,
            tokenBase: nil, entry: entry, floors: floors)
    }

    private func entry(_ change: (inout KeyExplanation.Entry) -> Void = { _ in })
        -> KeyExplanation.Entry
    {
        var entry = KeyExplanation.Entry(
            valueBytes: 5, chargedBytes: 96, version: .none, etag: nil, tags: [],
            age: .milliseconds(2_100), timeToLive: nil, staleFor: nil,
            filled: Sample.position(40), isUnfenced: false)
        change(&entry)
        return entry
    }

    private func floor(
        _ cover: KeyExplanation.Floor.Cover, hard: LogPosition? = nil, soft: LogPosition? = nil,
        isAbove: Bool = false
    ) -> KeyExplanation.Floor {
        KeyExplanation.Floor(
            cover: cover, hard: hard, soft: soft, minimumVersion: .none, isAboveEntry: isAbove)
    }

    private func report(_ answers: [Result<KeyExplanation, CacheError>]) throws -> ExplainReport {
        ExplainReport(
            key: try Sample.key("user:1"), namespace: .default, owner: try Sample.node("n1"),
            lines: try answers.enumerated().map { index, answer in
                .init(node: try Sample.node("n\(index + 1)"), answer: answer)
            })
    }

    @Test func whatTookAwayAnEntryIsNamedWithItsPosition() throws {
        let lost = try found(
            .absent,
            floors: [
                floor(.namespace, hard: Sample.position(2)),
                floor(.tag(Array("news".utf8)), hard: Sample.position(41), isAbove: true),
            ])
        #expect(
            lost.sentence
                == "Not there: an entry was hidden by the invalidation of tag news at 1:41.")
        #expect(try found(.absent).sentence == "Not there.")
    }

    @Test func aNodeIsABlockThatBeginsWithTheReason() throws {
        let described = entry {
            $0.version = Version(7)
            $0.etag = Validator("e1")
            $0.tags = [Tag("words"), Tag("b\n")].compactMap(\.self)
            $0.representation.contentType = RepresentationField("text/css")
            $0.representation.contentLanguage = RepresentationField("de")
            $0.timeToLive = .seconds(58)
            $0.isUnfenced = true
        }
        let floors = [
            floor(.history, hard: Sample.position(1)),
            floor(.prefix(Array("user:".utf8)), soft: Sample.position(39)),
        ]
        let answer = try found(.fresh, entry: described, floors: floors)
        let absent = try found(.absent)
        let output = try report([.success(answer), .success(absent)]).output(.plain)
        #expect(
            output.text == """
                n1  LIVE, lease 2.4s, applied 1:42, owner of the key
                    Served as fresh: it was filled at 1:40, and nothing that covers it was \
                invalidated since.
                    memory, 5B (96B charged), version 7, ETag e1, type text/css, language de, \
                stored 2.1s ago, expires in 58s, stored without a token, tags words b\\n
                    history: what this node knows of it begins at 1:1
                    prefix user:: softly invalidated at 1:39
                n2  LIVE, lease 2.4s, applied 1:42
                    Not there.

                """)
        #expect(output.status == .done && output.complaints.isEmpty)
    }

    @Test func anUnreachableNodeIsNamedAndMakesTheReportIncomplete() throws {
        let output = try report([.failure(CacheError(.timedOut, "no answer in 5s"))]).output(.plain)
        #expect(output.text == "n1  UNREACHABLE, owner of the key\n")
        #expect(
            output.complaints == [
                "node n1 does not answer: no answer in 5s; --timeout gives it longer"
            ])
        #expect(output.status == .incomplete)
    }

    @Test func theReasonNamesWhatLiesAboveTheEntry() throws {
        let tag = floor(.tag(Array("news".utf8)), hard: Sample.position(41), isAbove: true)
        let other = floor(.everything, hard: Sample.position(3))
        #expect(
            try found(.invalidated, entry: entry(), floors: [other, tag]).sentence
                == "Not served: it was filled at 1:40, before the invalidation of tag news at 1:41."
        )
        let soft = floor(.namespace, soft: Sample.position(41), isAbove: true)
        #expect(
            try found(.soft, entry: entry(), floors: [soft]).sentence
                == "Stale: it was filled at 1:40, before the invalidation of the namespace at "
                + "1:41; served to readers that allow stale values.")
        var loading = try found(.absent)
        loading.loadLeft = .seconds(3)
        #expect(loading.sentence == "Not there; it is being loaded, for 3s at most.")
    }

    @Test func everyVerdictHasASentence() throws {
        let sentences = try KeyExplanation.Verdict.allCases.map { try found($0).sentence }
        #expect(Set(sentences).count == sentences.count)
        #expect(sentences.allSatisfy { $0.hasSuffix(".") })
    }

    @Test func jsonIsOneObjectWithTheSameSentence() throws {
        let floors = [floor(.tag(Array("t".utf8)), hard: Sample.position(41), isAbove: true)]
        let answer = try found(.invalidated, entry: entry(), floors: floors)
        let down = CacheError(.timedOut, "no answer")
        let text = try report([.success(answer), .failure(down)]).output(.json).text
        #expect(
            text == """
                {"key":"user:1","namespace":"default","owner":"n1","nodes":[{"node":"n1",\
                "reachable":true,"state":"LIVE","applied":"1:42","lease_ms":2400,\
                "verdict":"invalidated","why":"Not served: it was filled at 1:40, before the \
                invalidation of tag t at 1:41.","load_ms":null,"token_base":null,"entry":\
                {"tier":"memory","value_bytes":5,"charged_bytes":96,"version":null,"tags":[],\
                "age_ms":2100,"ttl_ms":null,"stale_ms":null,"filled":"1:40","fenced":true},\
                "floors":[{"kind":"tag","name":"t","hard":"1:41","soft":null,"above_entry":true}]},\
                {"node":"n2","reachable":false}]}

                """)
    }

    @Test func howItStandsToItsOriginIsASentenceMore() throws {
        var report = try report([.success(try found(.absent)), .success(try found(.absent))])
        var compared = OriginComparison(.differs, .live, applied: Sample.position(42))
        compared.origin = ValueImprint(valueBytes: 6, digest: 0xCD)
        compared.took = .milliseconds(12)
        report.lines[0].comparison = .success(compared)
        report.lines[1].comparison = .failure(CacheError(.refused, "no origin"))
        let output = report.output(.plain)
        #expect(
            output.text.contains(
                "    The origin has something else: 6B, digest 00000000000000cd.\n"))
        #expect(output.status == .incomplete)
        #expect(output.complaints == ["node n2 does not compare: no origin"])
        let json = report.output(.json).text
        #expect(
            json.contains(
                "\"compared\":{\"verdict\":\"differs\",\"took_ms\":12,\"failure\":null"))
        #expect(json.contains("\"compared\":null"))
    }

    @Test func everyComparisonHasASentence() {
        var sentences: [String] = []
        for verdict in OriginComparison.Verdict.allCases {
            var found = OriginComparison(verdict, .live, applied: .none)
            if verdict == .failed { found.failure = .timedOut }
            sentences.append(found.sentence)
        }
        #expect(Set(sentences).count == sentences.count)
        #expect(sentences.allSatisfy { $0.hasSuffix(".") })
    }

    @Test func explainTakesAllItsFlags() throws {
        let command: ExplainCommand = try Sample.command(
            "explain a --node n2 --namespace images --origin --json")
        #expect(command.key.description == "a" && command.node?.name == "n2")
        #expect(command.room.room.name == "images" && command.cluster.json && command.origin)
    }
}
