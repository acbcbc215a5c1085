import CacheModel
import Testing

@testable import CacheHTTP

/// Values that `:batch` stores, and what it answers.
@Suite struct StoreBatchTests {
    private func read(_ body: String) throws(Problem) -> BatchBody {
        try BatchBody(.default, ReadTerms(), body: Array(body.utf8))
    }

    private func items(_ body: String) throws -> [StoreBatch.Item] {
        guard case .store(let batch) = try read(body) else {
            throw Problem(.fault, "it is no batch of stores")
        }
        return batch.items
    }

    @Test func aValueHasAllThatAPutHas() throws {
        let node = try #require(NodeID("n1"))
        let token = FillToken(position: .none, incarnation: Incarnation(1), nonce: 2)
        let right = LoadRight(token, of: node)
        let items = try items(
            """
            {"stores":[{"key":"a","value":"x","ttl_ms":5,"tags":["t","t",{"base64":"/w=="}],\
            "version":"18446744073709551615","etag":"\\"e\\"","token":"\(right.text)"},\
            {"key":{"base64":"/w=="},"value":{"base64":"AAE="},"ttl_ms":"never",\
            "content_type":"image/png","content_encoding":"identity","content_language":"de"}]}
            """)
        try #require(items.count == 2)
        let first = items[0].order
        #expect(first.key == CacheKey("a") && items[0].value == Array("x".utf8))
        #expect(first.lifetime == .after(.milliseconds(5)) && first.version == Version(.max))
        #expect(first.tags.map(\.bytes) == [Array("t".utf8), [255]])
        #expect(first.etag == Validator("\"e\"") && first.right == right)
        let second = items[1].order
        #expect(second.key.bytes == [255] && items[1].value == [0, 1])
        #expect(second.lifetime == .never && second.right == nil)
        #expect(second.representation.contentType?.text == "image/png")
        #expect(second.representation.contentEncoding == nil)
        #expect(second.representation.contentLanguage?.text == "de")
        #expect(first.representation.isEmpty)
    }

    @Test func aLifetimeBeyondTheLongestIsRefusedWithTheMaximum() throws {
        let longest = StoreOrder.lifetimeMillisecondsMax
        let order = try items(#"{"stores":[{"key":"a","value":"","ttl_ms":\#(longest)}]}"#)[0].order
        #expect(order.lifetime == .after(.milliseconds(Int64(longest))))
        for beyond in ["\(longest + 1)", "4611686018427387904", "18446744073709551615"] {
            let problem = #expect(throws: Problem.self) {
                try read(#"{"stores":[{"key":"a","value":"","ttl_ms":\#(beyond)}]}"#)
            }
            #expect(problem?.detail.contains("3153600000000 (36500 days)") == true)
        }
    }

    @Test func aTypeThatNoFieldCouldHaveIsRefused() {
        let problem = #expect(throws: Problem.self) {
            try read(#"{"stores":[{"key":"a","value":"","content_type":"a\r\nb"}]}"#)
        }
        #expect(problem?.kind == .malformedBody)
        #expect(problem?.detail.hasPrefix("content_type") == true)
    }

    @Test func keysAloneAreRead() throws {
        guard case .read(let order) = try read(#"{"keys":["a"]}"#) else {
            Issue.record("no read")
            return
        }
        #expect(order.keys.count == 1)
    }

    @Test(
        arguments: [
            #"{"stores":[]}"#, #"{"stores":{}}"#, #"{"stores":["a"]}"#,
            #"{"stores":[{"key":"a"}]}"#, #"{"stores":[{"value":"a"}]}"#,
            #"{"stores":[{"key":"","value":""}]}"#,
            #"{"stores":[{"key":"a","value":""},{"key":"a","value":""}]}"#,
            #"{"stores":[{"key":"a","value":"","ttl":1}]}"#,
            #"{"stores":[{"key":"a","value":"","ttl_ms":0}]}"#,
            #"{"stores":[{"key":"a","value":"","ttl_ms":"1"}]}"#,
            #"{"stores":[{"key":"a","value":"","etag":"e"}]}"#,
            #"{"stores":[{"key":"a","value":"","token":"?1"}]}"#,
            #"{"stores":[{"key":"a","value":""}],"keys":["a"]}"#,
        ])
    func whatIsNoBatchOfStoresIsRefused(body: String) {
        #expect(throws: Problem.self) { try read(body) }
    }

    @Test func eachResultSaysWhatBecameOfItsKey() throws {
        let key = try #require(CacheKey("k"))
        let position = try #require(LogPosition("3:9"))
        var batch = BatchAnswer()
        batch.add(key, StoredValue(position, isFenced: true, isQueued: false, nodes: []))
        var problem = Problem(.timedOut, "silence")
        problem.mayHaveHappened = true
        batch.add(key, problem)
        let text = String(decoding: batch.answer.body, as: UTF8.self)
        #expect(
            text == #"{"results":[{"key":"k","status":204,"fenced":true,"position":"3:9"},"#
                + #"{"key":"k","status":504,"type":"urn:martlet:problem:timed-out","#
                + #""detail":"silence","may_have_happened":true}]}"#)
    }

    @Test func aMissingKeyInABatchCarriesItsFillToken() throws {
        let key = try #require(CacheKey("k"))
        let token = FillToken(position: .none, incarnation: Incarnation(1), nonce: 2)
        let right = LoadRight(token, of: try #require(NodeID("n1")))
        var offer = FillOffer()
        offer.right = right
        var waiting = FillOffer()
        waiting.retryAfter = .milliseconds(700)
        var batch = BatchAnswer()
        batch.add(key, offer)
        batch.add(key, waiting)
        let text = String(decoding: batch.answer.body, as: UTF8.self)
        #expect(text.contains(#""token":"\#(right.text)","retry_after_ms":null}"#))
        #expect(text.contains(#""token":null,"retry_after_ms":700}"#))
    }

    @Test func aValueSaysWhetherItIsFencedAndWhetherItWasOvertaken() throws {
        let key = try #require(CacheKey("k"))
        var value = FoundValue([97])
        value.isFenced = false
        value.isOvertaken = true
        var batch = BatchAnswer()
        batch.add(key, value)
        let text = String(decoding: batch.answer.body, as: UTF8.self)
        #expect(text.contains(#""fenced":false,"overtaken":true,"position":null}"#))
    }
}
