import CacheModel
import Testing

@testable import CacheHTTP

@Suite struct StreamOrderTests {
    private func order(_ query: String, _ fields: FieldList = FieldList()) throws -> StreamOrder {
        try StreamOrder(RequestHead("GET", "/v1/stream" + query, fields))
    }

    @Test func aQueryNamesWhatIsAskedForAndTheLastPosition() throws {
        let images = try #require(Namespace("images"))
        let found = try order(
            "?namespace=images&prefix=images/t%3A&key=a&key=images/a/b&tag=%FF&everything"
                + "&after=1:42")
        #expect(
            found.targets == [
                .namespace(images), .prefix(Array("t:".utf8), in: images),
                .key(try #require(CacheKey("a")), in: .default),
                .key(try #require(CacheKey("a/b")), in: images),
                .tag(try #require(Tag(bytes: [0xFF])), in: .default), .everything,
            ])
        #expect(found.after == LogPosition("1:42"))
        #expect(try order("").targets == [])
    }

    /// As forms, and what builds queries in most languages, write a space.
    @Test func aPlusIsASpace() throws {
        let found = try order("?tag=front+page&key=a%2Bb&prefix=n%6E/a+")
        #expect(
            found.targets == [
                .tag(try #require(Tag("front page")), in: .default),
                .key(try #require(CacheKey("a+b")), in: .default),
                .prefix(Array("a ".utf8), in: try #require(Namespace("nn"))),
            ])
    }

    @Test func theLastEventIsNewerThanTheURL() throws {
        let fields = FieldList(["last-event-id": "1:50"])
        #expect(try order("?after=1:42", fields).after == LogPosition("1:50"))
        #expect(
            try order("?after=1:42", FieldList(["Last-Event-ID": ""])).after?.sequence.rawValue
                == 42)
    }

    @Test(arguments: [
        "?keys=a", "?key=", "?key=no%20room/a", "?namespace=", "?tag=images/", "?prefix=images/",
        "?after=1", "?after=1:2:3", "?key=%4", "?=", "?everything=false", "?everything=true",
    ])
    func aWrongQueryIsRefused(query: String) {
        #expect(throws: Problem.self) { try order(query) }
    }

    @Test func aWrongLastEventIsRefused() {
        #expect(throws: Problem.self) {
            try order("?everything", FieldList(["Last-Event-ID": "x"]))
        }
    }

    @Test func theStreamIsItsPathWithAQueryOrWithout() {
        #expect(StreamOrder.isMeant(by: "/v1/stream"))
        #expect(StreamOrder.isMeant(by: "/v1/stream?everything"))
        #expect(!StreamOrder.isMeant(by: "/v1/streams"))
        #expect(!StreamOrder.isMeant(by: "/v1/stream/key"))
    }

    @Test func aMessageSaysTheSame() throws {
        var found = try order("?key=a")
        let text = #"""
            {"after":"1:42","namespace":"n","keys":["a",{"base64":"/w=="}],"prefixes":["p"],
             "tags":["t"],"namespaces":["m"],"everything":true,"token":"secret"}
            """#
        try found.read(message: Array(text.utf8))
        let room = try #require(Namespace("n"))
        #expect(
            found.targets == [
                .key(try #require(CacheKey("a")), in: .default),
                .key(try #require(CacheKey("a")), in: room),
                .key(try #require(CacheKey(bytes: [0xFF])), in: room),
                .prefix([0x70], in: room), .tag(try #require(Tag("t")), in: room),
                .namespace(try #require(Namespace("m"))), .everything,
            ])
        #expect(found.after == LogPosition("1:42"))
        #expect(found.token == "secret")
    }

    @Test(arguments: [
        "", "[]", "{", "{\"keys\":\"a\"}", "{\"keys\":[\"\"]}", "{\"after\":\"x\"}", "{\"key\":[]}",
        "{\"namespaces\":[\" \"]}", "{\"after\":1}",
    ])
    func aWrongMessageIsRefused(text: String) throws {
        var found = try order("")
        #expect(throws: Problem.self) { try found.read(message: Array(text.utf8)) }
    }

    @Test func aPositionMayNameItsCluster() throws {
        let text = "1:50@0000000000c0ffee"
        let fields = FieldList(["Last-Event-ID": text])
        let found = try order("?after=1:42", fields)
        #expect(found.after == LogPosition("1:50") && found.cluster == ClusterID(0xC0FFEE))
        let query = try order("?everything&after=1:42%400000000000c0ffee")
        #expect(query.after == LogPosition("1:42") && query.cluster == ClusterID(0xC0FFEE))
    }
}
