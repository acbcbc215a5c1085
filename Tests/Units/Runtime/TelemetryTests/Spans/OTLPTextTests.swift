import CacheModel
import CacheMetrics
import Testing

@Suite struct OTLPTextTests {
    private let resource = SpanResource(service: "martlet-gateway", instance: "i1")

    @Test func aSpanIsWrittenAsTheProtocolHasIt() {
        var span = SpanRecord(
            "GET /v1/{namespace}/{key}", .server, Sample.context(), under: 0xAB, at: 1_000)
        span.isParentRemote = true
        span.add("http.response.status_code", .integer(200))
        span.add("martlet.hit", .truth(true))
        span.end(at: 2_500)
        #expect(
            OTLPText.body(of: [span], from: resource) == """
                {"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":\
                {"stringValue":"martlet-gateway"}},{"key":"service.instance.id","value":\
                {"stringValue":"i1"}}]},"scopeSpans":[{"scope":{"name":"martlet"},"spans":[{\
                "traceId":"00000000000000010000000000000002","spanId":"0000000000000003",\
                "parentSpanId":"00000000000000ab","flags":771,\
                "name":"GET /v1/{namespace}/{key}","kind":2,"startTimeUnixNano":"1000",\
                "endTimeUnixNano":"2500","attributes":[{"key":"http.response.status_code",\
                "value":{"intValue":"200"}},{"key":"martlet.hit","value":{"boolValue":true}}]}]}]}]}
                """)
    }

    @Test func aSpanThatFailedSaysSo() {
        var span = SpanRecord("get", .client, Sample.context(flags: 1), under: nil, at: 9)
        span.fail("timedOut")
        span.droppedEventCount = 2
        let text = OTLPText.body(of: [span], from: resource)
        #expect(text.contains(#""flags":257,"#) && !text.contains("parentSpanId"))
        #expect(
            text.contains(
                #""droppedEventsCount":2,"status":{"code":2,"message":"timedOut"}}"#))
    }

    @Test func everyKindOfValueHasItsName() {
        var span = Sample.span()
        span.add("a", .number(1.5))
        span.add("b", .number(.nan))
        span.add("c", .number(-.infinity))
        span.add("d", .list([.text("x\"\n"), .integer(.min)]))
        let text = OTLPText.body(of: [span], from: resource)
        for piece in [
            #"{"doubleValue":1.5}"#, #"{"doubleValue":"NaN"}"#, #"{"doubleValue":"-Infinity"}"#,
            #"{"arrayValue":{"values":[{"stringValue":"x\"\n"},"#
                + #"{"intValue":"-9223372036854775808"}]}}"#,
        ] {
            #expect(text.contains(piece), "\(piece)")
        }
    }

    @Test func aSpanHasNoMoreThanItMay() {
        var span = SpanRecord(
            String(repeating: "ä", count: 500), .server, Sample.context(), under: nil, at: 10)
        for number in 0..<40 {
            span.add("\(number)", .text(String(repeating: "x", count: 10_000)))
        }
        span.end(at: 3)
        #expect(span.name == String(repeating: "ä", count: 128))
        #expect(span.attributes.count == 32 && span.droppedAttributeCount == 8)
        #expect(span.attributes[0].value == .text(String(repeating: "x", count: 256)))
        #expect(span.end == 10, "no span ends before it begins")
    }

    @Test func aTextIsNotCutWithinALetter() {
        let text = String(repeating: "x", count: 255) + "äy"
        let span = SpanRecord(text, .server, Sample.context(), under: nil, at: 0)
        #expect(span.name == String(repeating: "x", count: 255))
    }
}
