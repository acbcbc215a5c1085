import CacheModel
import Testing

@testable import CacheHTTP

/// The right to fill a key, given by a miss and brought by a PUT.
@Suite struct LoadRightTests {
    private static func token(run: UInt64 = 77, nonce: UInt64 = .max) -> FillToken {
        FillToken(
            position: LogPosition(epoch: Epoch(3), sequence: .max),
            incarnation: Incarnation(run), nonce: nonce)
    }

    private static let node = NodeID("n-1.example") ?? NodeID("n1")

    @Test func aRightComesBackAsItWasGiven() throws {
        let node = try #require(Self.node)
        let right = LoadRight(Self.token(), of: node)
        let fields = FieldList(["Martlet-Token": right.text])
        let brought = try #require(try LoadRight.brought(by: fields))
        #expect(brought == right)
        let opened = try #require(brought.opened)
        #expect(opened.token == Self.token() && opened.node == node)
    }

    @Test func theLongestNameOfANodeFits() throws {
        let node = try #require(NodeID(String(repeating: "n", count: 64)))
        let right = LoadRight(Self.token(), of: node)
        #expect(right.text.utf8.count <= LoadRight.textBytesMax)
        #expect(LoadRight(right.text)?.opened?.node == node)
    }

    /// Such a token fills any key that is not there, and everybody could write one.
    @Test func aTokenWithoutALeaseIsNoRight() throws {
        let node = try #require(Self.node)
        #expect(LoadRight(Self.token(run: 0), of: node).opened == nil)
        #expect(LoadRight(Self.token(nonce: 0), of: node).opened == nil)
    }

    @Test(arguments: ["AAAA", "====", "A", String(repeating: "A", count: 40)])
    func whatNoNodeHasGivenOpensNothing(text: String) throws {
        #expect(try #require(LoadRight(text)).opened == nil)
    }

    @Test(arguments: ["", "?1", "a b", String(repeating: "A", count: 129)])
    func whatIsNoTokenIsRefused(text: String) {
        let fields = FieldList(["Martlet-Token": text])
        #expect(throws: Problem.self) { try LoadRight.brought(by: fields) }
    }

    @Test func aReadAsksForOneByAFlag() throws {
        for (text, isWanted) in [("?1", true), ("?0", false), ("1", true)] {
            #expect(try ReadTerms(FieldList(["Martlet-Token": text])).wantsRight == isWanted)
        }
        #expect(try !ReadTerms(FieldList()).wantsRight)
        #expect(throws: Problem.self) { try ReadTerms(FieldList(["Martlet-Token": "yes"])) }
    }

    @Test func aPutBringsOne() throws {
        let text = LoadRight(Self.token(), of: try #require(Self.node)).text
        let head = RequestHead("PUT", "/v1/n/k", FieldList(["Martlet-Token": text]))
        guard case .store(let order) = try GatewayOrder(head) else {
            Issue.record("no store")
            return
        }
        #expect(order.right?.text == text)
    }

    private static func absence(_ change: (inout FillOffer) -> Void) throws -> Answer {
        var offer = FillOffer()
        change(&offer)
        let key = try #require(CacheKey("k"))
        let fields = FieldList(["Martlet-Token": "?1"])
        return try ReadOrder(.default, key, fields).absence(offer)
    }

    @Test func noRightIsAskedForWhereTheAnswerCannotCarryIt() throws {
        let key = try #require(CacheKey("k"))
        var fields = FieldList(["Martlet-Token": "?1", "If-Match": "\"e\""])
        let order = try ReadOrder(.default, key, fields)
        #expect(!order.terms.wantsRight && order.absence.status == 412)
        fields = FieldList(["Martlet-Token": "?1", "Cache-Control": "only-if-cached"])
        let cached = try ReadOrder(.default, key, fields)
        #expect(cached.absence(FillOffer()).status == 504)
        var offer = FillOffer()
        offer.right = LoadRight(Self.token(), of: try #require(Self.node))
        #expect(cached.absence(offer).status == 404)
    }

    @Test func aMissReturnsAFillTokenOrARetryAfter() throws {
        let right = LoadRight(Self.token(), of: try #require(Self.node))
        let given = try Self.absence { $0.right = right }
        #expect(given.status == 404 && given.fields["Martlet-Token"] == right.text)
        #expect(given.fields["Retry-After"] == nil)
        let waiting = try Self.absence { $0.retryAfter = .milliseconds(1_001) }
        #expect(waiting.status == 404 && waiting.fields["Retry-After"] == "2")
        #expect(waiting.fields["Martlet-Token"] == nil)
        #expect(try Self.absence { $0.retryAfter = .zero }.fields["Retry-After"] == "1")
    }
}
