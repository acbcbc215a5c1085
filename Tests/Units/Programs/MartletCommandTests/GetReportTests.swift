import CacheModel
import CommandSurface
import Testing

@testable import MartletClient
@testable import martlet

@Suite struct GetReportTests {
    private func value(_ text: String, state: NodeState = .live) throws -> CachedValue {
        var value = CachedValue(origin: Array(text.utf8))
        value.tier = .memory
        value.state = state
        value.node = try Sample.node("n1")
        value.position = Sample.position(17)
        value.age = .milliseconds(250)
        return value
    }

    private func report(
        _ results: [Result<CachedValue?, CacheError>], isFreshDemanded: Bool = false
    ) throws -> GetReport {
        let answers = try results.enumerated().map { index, result in
            GetReport.Answer(key: try Sample.key("k\(index + 1)"), result: result)
        }
        return GetReport(answers: answers, isFreshDemanded: isFreshDemanded, endpoints: [])
    }

    @Test func valuesAreLinesAndWhatIsMissingIsACode() throws {
        let output = try report([.success(try value("hello")), .success(nil)]).output(.plain)
        #expect(output.text == "hello\n")
        #expect(output.complaints == ["not found: k2"])
        #expect(output.status == .notFound)
    }

    @Test func rawIsExactlyTheBytes() throws {
        var binary = try value("")
        binary.bytes = [0, 255, 10, 27]
        let output = try report([.success(binary)]).output(.plain, .raw)
        #expect(output == CommandOutput(bytes: [0, 255, 10, 27]))
    }

    @Test func aStaleValueIsPrintedWithItsReason() throws {
        var suspect = try value("old", state: .suspect)
        suspect.isStale = true
        var soft = try value("softly")
        soft.isStale = true
        soft.isSoftInvalidated = true
        var past = try value("past")
        past.isStale = true
        let output = try report([.success(suspect), .success(soft), .success(past)])
            .output(.plain)
        #expect(output.text == "old\nsoftly\npast\n")
        #expect(
            output.complaints == [
                "k1 is stale: node n1 is SUSPECT and cannot vouch for it",
                "k2 is stale: a soft invalidation covers it (node n1 at 1:17)",
                "k3 is stale: its lifetime is over, and its origin was not asked or did not "
                    + "answer",
            ])
        #expect(output.status == .done)
    }

    @Test func aValueThatWasOvertakenSaysSoAndProvesNothing() throws {
        var overtaken = try value("old")
        overtaken.isOvertaken = true
        overtaken.position = .none
        let output = try report([.success(overtaken)]).output(.plain)
        #expect(output.text == "old\n")
        #expect(
            output.complaints == [
                "k1 was invalidated while it was loaded: this value may be from before that; "
                    + "ask again"
            ])
        let json = try report([.success(overtaken)]).output(.json).text
        #expect(json.contains(#""fenced":false,"overtaken":true,"position":null"#))
    }

    @Test func aStaleValueIsNoAnswerWhereFreshnessIsDemanded() throws {
        var suspect = try value("old", state: .suspect)
        suspect.isStale = true
        let output = try report([.success(suspect)], isFreshDemanded: true).output(.plain)
        #expect(output.bytes.isEmpty)
        #expect(
            output.complaints == [
                "k1 is there, but not fresh: node n1 is SUSPECT and cannot vouch for it"
            ])
        #expect(output.status == .notFresh)
    }

    @Test func aReasonThatAllKeysShareIsSaidOnce() throws {
        let behind = CacheError(.behind, "node n1 stands at 1:17")
        let down = CacheError(.disconnected, "n2 cannot be reached")
        let output = try report([.failure(behind), .failure(down), .failure(behind)]).output(.plain)
        #expect(
            output.complaints == [
                "k1 and 1 more: node n1 stands at 1:17", "k2: n2 cannot be reached",
            ])
        #expect(output.status == .unreachable)
        #expect(try report([.failure(behind)]).output(.plain).status == .notFresh)
    }

    @Test func aTerminalShowsEscapedValuesAndMentionsTheRawFlag() throws {
        var steering = try value("")
        steering.bytes = Array("a\u{1B}[2J\tb\\n\nc".utf8) + [0xFF]
        let output = try report([.success(steering)]).output(.plain, .screen)
        #expect(output.text == "a\\x1b[2J\tb\\n\nc\\xff\n")
        #expect(output.complaints.count == 1)
        #expect(output.complaints.first?.contains("--raw writes them as they are") == true)
        #expect(output.status == .done)
        let plain = try report([.success(try value("Ärger 🐦"))]).output(.plain, .screen)
        #expect(plain == CommandOutput(bytes: Array("Ärger 🐦\n".utf8)))
        let piped = try report([.success(steering)]).output(.plain)
        #expect(piped.bytes == steering.bytes + [10] && piped.complaints.isEmpty)
    }

    @Test func jsonHasTextAsTextAndOtherBytesInBase64() throws {
        var binary = try value("")
        binary.bytes = [0xFF, 0]
        let json = try report([.success(binary)]).output(.json).text
        #expect(json.contains(#""found":true,"value":null,"value_base64":"/wA=","version":"#))
        let text = try report([.success(try value("\"Ä\""))]).output(.json).text
        #expect(text.contains(#""value":"\"Ä\"","version":"#), "\(text)")
    }

    @Test func quietKeepsValuesAndErrors() throws {
        var stale = try value("old")
        stale.isStale = true
        stale.isSoftInvalidated = true
        let down = CacheError(.disconnected, "n2 cannot be reached")
        let output = try report([.success(stale), .success(nil), .failure(down)])
            .output(.plain).quieted()
        #expect(output.text == "old\n")
        #expect(output.complaints == ["k3: n2 cannot be reached"])
        #expect(output.status == .unreachable)
    }

    @Test func jsonSaysWhatTheBytesAreWhereThatIsKnown() throws {
        var page = try value("hello")
        page.representation = Representation(
            contentType: RepresentationField("text/html"),
            contentEncoding: RepresentationField("gzip"))
        let text = try report([.success(page)]).output(.json).text
        #expect(
            text.contains(
                #""tags":[],"content_type":"text/html","content_encoding":"gzip","age_ms":250"#))
    }

    @Test func jsonHasEveryFieldInItsOrder() throws {
        var full = try value("hello")
        full.version = Version(3)
        full.etag = Validator("w1")
        full.tags = [try Sample.tag("a"), try Sample.tag("b")]
        full.timeToLive = .seconds(60)
        full.isFenced = true
        let output = try report([
            .success(full), .success(nil), .failure(CacheError(.behind, "not yet")),
        ]).output(.json)
        let nothing = """
            "value":null,"version":null,"etag":null,"tags":[],"age_ms":null,"ttl_ms":null,\
            "tier":null,"state":null,"stale":null,"fenced":null,"overtaken":null,\
            "position":null,"node":null
            """
        #expect(
            output.text == """
                {"key":"k1","found":true,"value":"hello","version":3,"etag":"w1",\
                "tags":["a","b"],"age_ms":250,"ttl_ms":60000,"tier":"memory","state":"LIVE",\
                "stale":false,"fenced":true,"overtaken":false,"position":"1:17","node":"n1"}
                {"key":"k2","found":false,\(nothing)}
                {"key":"k3","found":null,\(nothing),"error":"behind: not yet"}

                """)
        #expect(output.status == .notFresh)
    }
}
