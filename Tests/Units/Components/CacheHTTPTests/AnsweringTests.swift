import ByteCoding
import CacheModel
import Testing

@testable import CacheHTTP

@Suite struct AnsweringTests {
    private static func order(_ fields: FieldList = FieldList()) throws -> ReadOrder {
        try ReadOrder(.default, try #require(CacheKey("k")), fields)
    }

    private static var value: FoundValue {
        var value = FoundValue(Array("hello".utf8))
        value.version = Version(7)
        value.tags = ["news", "front page"].compactMap { Tag($0) }
        value.age = .milliseconds(12_900)
        value.timeToLive = .milliseconds(30_500)
        value.tier = .memory
        value.position = LogPosition("3:9") ?? .none
        value.node = NodeID("n1")
        return value
    }

    @Test func aHitTellsAllOfItself() throws {
        let answer = try Self.order().answer(Self.value)
        #expect(answer.status == 200)
        #expect(answer.body == Array("hello".utf8))
        #expect(
            answer.fields
                == FieldList([
                    "ETag": "\"v7\"", "Age": "12", "Cache-Control": "max-age=42",
                    "X-Accel-Expires": "30",
                    "Cache-Status": "Martlet; hit; ttl=30; detail=memory",
                    "Surrogate-Key": "news front%20page",
                    "Cache-Groups": "\"news\", \"front page\"", "Martlet-Position": "3:9",
                    "Martlet-Fenced": "?1", "Martlet-Version": "7", "Martlet-Node": "n1",
                    "Content-Type": "application/octet-stream", "X-Content-Type-Options": "nosniff",
                    "Accept-Ranges": "bytes",
                ]))
    }

    // MARK: What its bytes are

    private static func page() -> FoundValue {
        var page = value
        page.representation = Representation(
            contentType: RepresentationField("text/html; charset=utf-8"),
            contentEncoding: RepresentationField("gzip"),
            contentLanguage: RepresentationField("de"))
        return page
    }

    /// A page has an origin of its own in a browser: the dashboard's is not for it to use.
    @Test func aValueIsAnsweredAsWhatItWasStoredAs() throws {
        let answer = try Self.order().answer(Self.page())
        #expect(answer.fields["Content-Type"] == "text/html; charset=utf-8")
        #expect(answer.fields["Content-Encoding"] == "gzip")
        #expect(answer.fields["Content-Language"] == "de")
        #expect(answer.fields["X-Content-Type-Options"] == "nosniff")
        #expect(answer.fields["Content-Security-Policy"] == "sandbox")
        #expect(answer.body == Array("hello".utf8))
    }

    @Test func partialResponsesCarryTheContentTypeAnd304ResponsesOmitIt() throws {
        let range = RangeOrder(FieldList(["Range": "bytes=0-1"]))
        let part = try Self.order().with(range).answer(Self.page())
        #expect(part.status == 206 && part.fields["Content-Type"]?.hasPrefix("text/html") == true)
        #expect(part.fields["Content-Security-Policy"] == "sandbox")
        var order = try Self.order()
        order.conditions = try Conditions(FieldList(["If-None-Match": "*"]))
        let unchanged = order.answer(Self.page())
        #expect(unchanged.status == 304)
        for name in ["Content-Type", "Content-Encoding", "Content-Language"] {
            #expect(unchanged.fields[name] == nil)
        }
    }

    @Test func aBatchTellsWhatThereIsToTell() {
        var batch = BatchAnswer()
        guard let key = CacheKey("k") else { return }
        batch.add(key, Self.page())
        batch.add(key, Self.value)
        let text = String(decoding: batch.answer.body, as: UTF8.self)
        let said =
            #""content_type":"text/html; charset=utf-8","content_encoding":"gzip","#
            + #""content_language":"de""#
        #expect(text.contains(said) && text.split(separator: "content_").count == 4)
    }

    // MARK: Parts

    private static func part(_ range: String, ifRange: String? = nil) throws -> Answer {
        var fields = FieldList(["Range": range])
        if let ifRange { fields.append("If-Range", ifRange) }
        return try order().with(RangeOrder(fields)).answer(value)
    }

    @Test(arguments: [
        ("bytes=0-0", "h", "0-0"), ("bytes=1-3", "ell", "1-3"), ("bytes=2-", "llo", "2-4"),
        ("bytes=-2", "lo", "3-4"), ("bytes=-99", "hello", "0-4"), ("Bytes=4-99", "o", "4-4"),
        ("bytes=0-99999999999999999999", "hello", "0-4"),
    ])
    func aPartIsAnsweredWithItsPlace(range: String, text: String, place: String) throws {
        let answer = try Self.part(range)
        #expect(answer.status == 206 && answer.body == Array(text.utf8))
        #expect(answer.fields["Content-Range"] == "bytes \(place)/5")
        #expect(answer.fields["ETag"] == "\"v7\"" && answer.statedLength == text.utf8.count)
    }

    @Test(arguments: [
        "bytes=0-1,3-4", "bytes=3-1", "bytes=-", "bytes=a-b", "bytes=1", "items=0-1", "bytes 0-1",
        "bytes=--1", "bytes=+0-1", "",
    ])
    func whatIsNoSingleRangeIsPassedOver(range: String) throws {
        let answer = try Self.part(range)
        #expect(answer.status == 200 && answer.body.count == 5)
        #expect(answer.fields["Content-Range"] == nil)
    }

    @Test(arguments: ["bytes=5-", "bytes=5-9", "bytes=99999999999999999999-", "bytes=-0"])
    func aPartBehindTheEndIsRefusedWithTheLength(range: String) throws {
        let answer = try Self.part(range)
        #expect(answer.status == 416 && answer.fields["Content-Range"] == "bytes */5")
    }

    @Test(arguments: [
        ("\"v7\"", 206), ("\"v8\"", 200), ("W/\"v7\"", 200),
        ("Wed, 21 Oct 2026 07:28:00 GMT", 200),
    ])
    func aPartOfAnotherValueIsNotSent(ifRange: String, status: Int) throws {
        #expect(try Self.part("bytes=0-1", ifRange: ifRange).status == status)
    }

    @Test func onlyAGetHasAPart() throws {
        let fields = FieldList(["Range": "bytes=0-1"])
        for (method, isPart) in [("GET", true), ("HEAD", false)] {
            guard case .read(let order) = try GatewayOrder(RequestHead(method, "/v1/n/k", fields))
            else {
                Issue.record("no read")
                return
            }
            #expect((order.range != nil) == isPart)
        }
        var empty = Self.value
        empty.bytes = []
        let order = try Self.order().with(RangeOrder(FieldList(["Range": "bytes=-5"])))
        #expect(order.answer(empty).status == 200)
    }

    @Test func positionsSayOfWhichClusterTheyAre() throws {
        var value = Self.value
        value.cluster = ClusterID(0xA)
        #expect(
            try Self.order().answer(value).fields["Martlet-Position"] == "3:9@000000000000000a")
        let position = try #require(LogPosition("1:7"))
        var stored = StoredValue(position, isFenced: true, isQueued: false, nodes: [])
        stored.cluster = ClusterID(0xA)
        #expect(stored.answer.fields["Martlet-Position"] == "1:7@000000000000000a")
        var batch = BatchAnswer()
        let key = try #require(CacheKey("k"))
        batch.add(key, value)
        batch.add(key, stored)
        let text = String(decoding: batch.answer.body, as: UTF8.self)
        #expect(text.contains(#""position":"3:9","cluster":"000000000000000a"}"#))
        #expect(text.contains(#""position":"1:7","cluster":"000000000000000a"}"#))
    }

    @Test func aPrivateValueIsNotStoredBySharedCaches() throws {
        var value = Self.value
        func fields() throws -> FieldList { try Self.order().answer(value, isPrivate: true).fields }
        #expect(try fields()["Cache-Control"] == "private, max-age=42")
        #expect(try fields()["X-Accel-Expires"] == nil)
        #expect(try fields()["Vary"] == "Authorization")
        let same = FieldList(["If-None-Match": "\"v7\""])
        let unchanged = try Self.order(same).answer(value, isPrivate: true)
        #expect(unchanged.status == 304)
        #expect(unchanged.fields["Cache-Control"] == "private, max-age=42")
        #expect(unchanged.fields["Vary"] == "Authorization")
        value.timeToLive = nil
        #expect(try fields()["Cache-Control"] == "no-cache")
        value.isOvertaken = true
        #expect(try fields()["Cache-Control"] == "no-store")
    }

    @Test func nginxReceivesTheRemainingLifetimeInXAccelExpires() throws {
        var value = Self.value
        func told() throws -> String? { try Self.order().answer(value).fields["X-Accel-Expires"] }
        #expect(try told() == "30")
        value.timeToLive = .milliseconds(900)
        #expect(try told() == "0")
        value.age = .milliseconds(999)
        #expect(try told() == nil)
        value.age = .seconds(12)
        value.isStale = true
        #expect(try told() == nil)
        value.isStale = false
        value.isOvertaken = true
        #expect(try told() == nil)
        value.isOvertaken = false
        value.timeToLive = nil
        #expect(try told() == nil)
    }

    @Test func aHeadHasTheLengthAndNoBody() throws {
        let answer = try Self.order().answer(Self.value).withoutBody
        #expect(answer.body.isEmpty && answer.contentLength == 5)
        #expect(answer.statedLength == 5)
    }

    @Test func whatHasNoContentStatesNoLength() throws {
        let fields = FieldList(["If-None-Match": "\"v7\""])
        let same = try Self.order(fields).answer(Self.value)
        for answer in [same, Answer(204)] {
            #expect(answer.statedLength == nil)
            #expect(answer.withoutBody.statedLength == nil)
        }
        #expect(Answer(200).statedLength == 0)
        #expect(Answer(404, body: [1]).statedLength == 1)
    }

    @Test func whatIsStaleOrNeverEndsMustBeAskedFor() throws {
        var value = Self.value
        value.isStale = true
        var fields = try Self.order().answer(value).fields
        #expect(fields["Cache-Control"] == "no-cache")
        #expect(fields["Cache-Status"] == "Martlet; hit; ttl=0; detail=stale")
        value.isSoftInvalidated = true
        fields = try Self.order().answer(value).fields
        #expect(fields["Cache-Status"] == "Martlet; hit; ttl=0; detail=soft-invalidated")
        value = Self.value
        value.timeToLive = nil
        fields = try Self.order().answer(value).fields
        #expect(fields["Cache-Control"] == "no-cache")
        #expect(fields["Cache-Status"] == "Martlet; hit; detail=memory")
    }

    @Test func loadedValuesAreMarkedAndSupersededOnesAreNoStore() throws {
        var value = Self.value
        value.tier = .origin
        value.isOvertaken = true
        let fields = try Self.order().answer(value).fields
        #expect(fields["Cache-Status"] == "Martlet; fwd=miss; detail=origin")
        #expect(fields["Cache-Control"] == "no-store")
    }

    @Test func whatHasNoLifetimeLeftHasToBeAskedFor() throws {
        var value = Self.value
        value.timeToLive = .zero
        #expect(try Self.order().answer(value).fields["Cache-Control"] == "no-cache")
        let forOne = try Self.order().answer(value, isPrivate: true)
        #expect(forOne.fields["Cache-Control"] == "no-cache")
    }

    @Test func aValueThatItsOriginForbidsToStoreIsNoStore() throws {
        var value = Self.value
        value.mustNotBeKept = true
        for isPrivate in [false, true] {
            let fields = try Self.order().answer(value, isPrivate: isPrivate).fields
            #expect(fields["Cache-Control"] == "no-store")
            #expect(fields["X-Accel-Expires"] == nil)
        }
    }

    @Test func whatWasOvertakenSaysSoAndProvesNothing() throws {
        var value = Self.value
        #expect(try Self.order().answer(value).fields["Martlet-Overtaken"] == nil)
        value.isOvertaken = true
        value.position = .none
        let fields = try Self.order().answer(value).fields
        #expect(fields["Martlet-Overtaken"] == "?1")
        #expect(fields["Martlet-Position"] == nil)
    }

    @Test func anAnswerSaysWhetherItsValueIsFenced() throws {
        var value = Self.value
        value.isFenced = false
        #expect(try Self.order().answer(value).fields["Martlet-Fenced"] == "?0")
        let same = FieldList(["If-None-Match": "\"v7\""])
        #expect(try Self.order(same).answer(value).fields["Martlet-Fenced"] == "?0")
    }

    @Test func tagsTooLongForAFieldMakeTheValueNoStore() throws {
        var value = Self.value
        value.tags = (0..<64).compactMap { Tag(String(repeating: "t", count: 200) + "\($0)") }
        let fields = try Self.order().answer(value).fields
        #expect(fields["Cache-Control"] == "no-store")
        #expect(fields["Surrogate-Key"] == nil && fields["Cache-Groups"] == nil)
    }

    @Test(arguments: [
        ("If-None-Match", "\"v7\"", 304), ("If-None-Match", "W/\"v7\"", 304),
        ("If-None-Match", "*", 304), ("If-None-Match", "\"v8\", \"v7\"", 304),
        ("If-None-Match", "\"v8\"", 200), ("If-Match", "\"v7\"", 200), ("If-Match", "*", 200),
        ("If-Match", "W/\"v7\"", 412), ("If-Match", "\"v8\"", 412),
    ])
    func conditionsDecideTheStatus(name: String, value: String, status: Int) throws {
        let answer = try Self.order(FieldList([name: value])).answer(Self.value)
        #expect(answer.status == status)
        #expect(answer.body.isEmpty == (status == 304))
        if status != 412 { #expect(answer.fields["ETag"] == "\"v7\"") }
    }

    @Test(arguments: [
        ("X", "", 404), ("Cache-Control", "only-if-cached", 504), ("If-Match", "*", 412),
        ("If-None-Match", "*", 404),
    ])
    func absenceHasAStatusThatSaysWhy(name: String, value: String, status: Int) throws {
        let answer = try Self.order(FieldList([name: value])).absence
        #expect(answer.status == status)
        #expect(answer.fields["Cache-Status"] == "Martlet; fwd=miss")
        #expect(answer.fields["Content-Type"] == "application/problem+json")
    }

    /// Every condition against a value that is there and one that is not.
    @Test func aChangeIsMadeOnlyWhereItsConditionHolds() throws {
        let there = EntityTag(Array("a".utf8))
        let cases: [(String, String, EntityTag?, Bool)] = [
            ("If-Match", "\"a\"", there, true), ("If-Match", "\"a\"", nil, false),
            ("If-Match", "\"b\"", there, false), ("If-Match", "*", there, true),
            ("If-Match", "*", nil, false), ("If-None-Match", "*", nil, true),
            ("If-None-Match", "*", there, false), ("If-None-Match", "\"a\"", there, false),
            ("If-None-Match", "\"a\"", nil, true), ("If-None-Match", "\"b\"", there, true),
        ]
        for (name, text, current, holds) in cases {
            let conditions = try Conditions(FieldList([name: text]))
            #expect(conditions.isThere)
            do throws(Problem) {
                try conditions.check(current)
                #expect(holds, "\(name): \(text)")
            } catch {
                #expect(!holds && error.kind == .preconditionFailed, "\(name): \(text)")
            }
        }
    }

    @Test func anETagIsTheWritersElseTheVersionElseTheValue() {
        var value = FoundValue(Array("hello".utf8))
        let hashed = EntityTag(of: value)
        #expect(hashed.text.hasPrefix("\"h") && hashed.text.hasSuffix("-5\""))
        value.representation.contentEncoding = RepresentationField("gzip")
        #expect(EntityTag(of: value) != hashed, "the same bytes mean another thing")
        value.representation = Representation()
        value.bytes = Array("hellp".utf8)
        #expect(EntityTag(of: value) != hashed)
        value.version = Version(3)
        #expect(EntityTag(of: value).text == "\"v3\"")
        for (bytes, text) in [
            (Array("\"a\"".utf8), "\"a\""), (Array("W/\"a\"".utf8), "W/\"a\""),
            (Array("a".utf8), "\"a\""), (Array("a\"b c".utf8), "\"a%22b%20c\""),
            ([0xFF, 0x25], "\"%FF%25\""),
        ] {
            value.etag = Validator(bytes: bytes)
            #expect(EntityTag(of: value).text == text)
            // What is handed out is taken back.
            #expect(EntityTag(text) == EntityTag(of: value))
        }
    }

    @Test func aReceiptListsTheAppliedNodesAndTheCacheGroups() throws {
        let n1 = try #require(NodeID("n1"))
        let n2 = try #require(NodeID("n2"))
        var receipt = ReceiptAnswer(try #require(LogPosition("1:5")), isComplete: false)
        receipt.applied = [(n1, .microseconds(1_250))]
        receipt.pending = [n2]
        let order = InvalidationOrder([Scope(.tag(try #require(Tag("a b")), in: .default))])
        let answer = receipt.answer(to: order)
        #expect(answer.status == 202)
        #expect(answer.fields["Cache-Group-Invalidation"] == "\"a b\"")
        #expect(answer.fields["Martlet-Position"] == "1:5")
        #expect(
            String(decoding: answer.body, as: UTF8.self) == """
                {"position":"1:5","wait":"all","complete":false,\
                "applied":[{"node":"n1","ms":1.25}],"expired":[],"pending":[{"node":"n2"}]}
                """)
        receipt.isComplete = true
        #expect(receipt.answer(to: order).status == 200)
        // What is handed back literally says of which cluster it is.
        receipt.cluster = ClusterID(0xC0FF_EE00)
        let named = receipt.answer(to: order)
        #expect(named.fields["Martlet-Position"] == "1:5@00000000c0ffee00")
        #expect(
            String(decoding: named.body, as: UTF8.self).hasPrefix(
                #"{"position":"1:5","cluster":"00000000c0ffee00","wait":"all","complete":true,"#))
    }
}
