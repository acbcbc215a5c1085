import ByteCoding
import CacheModel
import Testing

@testable import CacheHTTP

@Suite struct BodyTests {
    private static func problem(_ body: String) -> Problem? {
        do throws(Problem) {
            _ = try InvalidationOrder(body: Array(body.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test func anInvalidationSaysAllOfIt() throws {
        let body = """
            {"namespace": "n", "keys": ["a", {"base64": "/wA="}], "min_version": 7,
             "tags": ["t"], "prefixes": ["p:"], "namespaces": ["m"], "everything": true,
             "soft": true, "wait": "quorum", "timeout_ms": 250, "dry_run": true}
            """
        let order = try InvalidationOrder(body: Array(body.utf8))
        let n = try #require(Namespace("n"))
        #expect(
            order.scopes == [
                Scope(.key(try #require(CacheKey("a")), in: n), minimumVersion: Version(7)),
                Scope(
                    .key(try #require(CacheKey(bytes: [255, 0])), in: n),
                    minimumVersion: Version(7)),
                Scope(.tag(try #require(Tag("t")), in: n)), Scope(.prefix(Array("p:".utf8), in: n)),
                Scope(.namespace(try #require(Namespace("m")))), Scope(.everything),
            ])
        #expect(order.isSoft && order.isDryRun && order.wait == .quorum)
        #expect(order.timeout == .milliseconds(250))
    }

    @Test(arguments: [
        "", "[]", "7", "{", "{}", "{\"keys\": []}", "{\"keys\": [\"\"]}", "{\"keys\": \"a\"}",
        "{\"keys\": [7]}", "{\"keys\": [{\"base64\": \"a\"}]}", "{\"keys\": [{\"b\": \"\"}]}",
        "{\"tags\": [null]}", "{\"everything\": 1}", "{\"everything\": false}",
        "{\"keys\": [\"a\"], \"wait\": \"ever\"}", "{\"keys\": [\"a\"], \"timeout_ms\": 0}",
        "{\"keys\": [\"a\"], \"timeout_ms\": 60001}", "{\"keys\": [\"a\"], \"timeout_ms\": 1.5}",
        "{\"keys\": [\"a\"], \"min_version\": 1e30}", "{\"keys\": [\"a\"], \"min_version\": -0.0}",
        "{\"keys\": [\"a\"], \"dryrun\": true}", "{\"keys\": [\"a\"], \"namespace\": \"a b\"}",
        "{\"tags\": [\"a\"], \"min_version\": 7}", "{\"keys\": [\"a\"]} x",
        "{\"keys\": [\"a\"], \"keys\": [\"b\"]}", "{\"namespaces\": [\"a/b\"]}",
    ])
    func aBodyThatMakesNoSenseIsRefusedWhole(body: String) {
        let problem = Self.problem(body)
        #expect(problem?.kind == .malformedBody, "\(problem?.detail ?? "taken")")
    }

    @Test(arguments: ["43.0", "43e0", "4.3E1"])
    func aWholeNumberMayBeWrittenWithAPoint(number: String) throws {
        let order = try InvalidationOrder(
            body: Array("{\"keys\": [\"a\"], \"timeout_ms\": \(number)}".utf8))
        #expect(order.timeout == .milliseconds(43))
    }

    @Test(arguments: [
        ("9007199254740993", 9_007_199_254_740_993), ("9007199254740993.0", 9_007_199_254_740_993),
        ("\"9007199254740993\"", 9_007_199_254_740_993),
        ("\"18446744073709551615\"", UInt64.max), ("18446744073709551615", .max),
    ])
    func aVersionIsTakenExactlyAndAsAStringToo(number: String, version: UInt64) throws {
        let order = try InvalidationOrder(
            body: Array("{\"keys\": [\"a\"], \"min_version\": \(number)}".utf8))
        #expect(order.scopes.first?.minimumVersion == Version(version))
    }

    @Test(arguments: ["18446744073709551616", "\"\"", "\"0\"", "\"07\"", "\"7.0\"", "\"-7\""])
    func whatIsNoVersionIsRefused(number: String) {
        let problem = Self.problem("{\"keys\": [\"a\"], \"min_version\": \(number)}")
        #expect(problem?.detail.contains("from 1 to 2^64 − 1") == true, "\(number)")
    }

    @Test func scopesHaveTheirBound() {
        func body(_ count: Int) -> String {
            "{\"tags\": [" + (1...count).map { "\"t\($0)\"" }.joined(separator: ",") + "]}"
        }
        #expect(Self.problem(body(1_000)) == nil)
        #expect(Self.problem(body(1_001))?.kind == .malformedBody)
    }

    @Test func aBatchHasItsBounds() throws {
        func batch(_ count: Int) throws(Problem) -> BatchOrder {
            let keys = (0..<count).map { "\"k\($0)\"" }.joined(separator: ",")
            return try BatchOrder(.default, ReadTerms(), body: Array("{\"keys\":[\(keys)]}".utf8))
        }
        #expect(try batch(100).keys.count == 100)
        for count in [0, 101] {
            #expect(throws: Problem.self) { try batch(count) }
        }
    }

    @Test func aBatchNamesEachKeyOnce() {
        func problem(_ body: String) -> ProblemKind? {
            do throws(Problem) {
                _ = try BatchOrder(.default, ReadTerms(), body: Array(body.utf8))
                return nil
            } catch {
                return error.kind
            }
        }
        #expect(problem(#"{"keys":["a","b"]}"#) == nil)
        #expect(problem(#"{"keys":["a","b","a"]}"#) == .malformedBody)
        #expect(problem(#"{"keys":["a",{"base64":"YQ=="}]}"#) == .malformedBody)
    }

    @Test func aBatchStopsBeforeItHoldsTooMuch() throws {
        let key = try #require(CacheKey("k"))
        let half = FoundValue([UInt8](repeating: 97, count: BatchOrder.valueBytesMax / 2))
        var batch = BatchAnswer()
        batch.add(key, half)
        #expect(!batch.isFull)
        batch.add(key, half)
        #expect(batch.isFull)
        batch.add(key, FoundValue([1]))
        batch.add(key, nil)
        guard case .members(let members) = try JSONReader.read(batch.answer.body),
            case .list(let results) = members.values[0]
        else {
            Issue.record("no list")
            return
        }
        #expect(results.map { Self.status($0) } == [200, 200, 413, 404])
    }

    /// A byte may take six in JSON.
    @Test(arguments: [UInt8(1), UInt8(ascii: "a"), 0xFF, UInt8(ascii: "\"")])
    func aBatchsAnswerIsNoLongerThanItMayBe(byte: UInt8) throws {
        let key = try #require(CacheKey("k"))
        let value = FoundValue([UInt8](repeating: byte, count: 1 << 20))
        var batch = BatchAnswer()
        for _ in 0..<20 { batch.add(key, value) }
        #expect(batch.isFull)
        #expect(batch.answer.body.count <= BatchOrder.valueBytesMax + (16 << 10))
        #expect(batch.answer.body.count >= 1 << 20)
    }

    private static func status(_ result: JSONDocument) -> Int? {
        guard case .members(let members) = result,
            let place = members.names.firstIndex(of: "status"),
            case .integer(let status) = members.values[place]
        else { return nil }
        return status
    }
}
