import CacheModel
import Testing

@Suite struct TraceContextTests {
    private static let id = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let field = "00-\(id)-00f067aa0ba902b7-01"

    @Test func aFieldIsReadAndWritten() throws {
        let context = try #require(TraceContext(traceparent: Self.field, tracestate: "a=1,b=2"))
        #expect(context.traceparent == Self.field && context.id == Self.id)
        #expect(context.tracestate == "a=1,b=2")
    }

    @Test(arguments: [
        "", "00", "00-\(id)-00f067aa0ba902b7", "00-\(id)-00f067aa0ba902b7-01-",
        "00-\(id)-00f067aa0ba902b7-01, 00-\(id)-00f067aa0ba902b7-01",
        "00-\(id.uppercased())-00f067aa0ba902b7-01", "ff-\(id)-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-\(id)-0000000000000000-01", "00-\(id)-00f067aa0ba902bg-01",
        "0-\(id)-00f067aa0ba902b7-01",
        "00_\(id)-00f067aa0ba902b7-01", "01-\(id)-00f067aa0ba902b7-01x",
        "00-\(id)-é0f067aa0ba902b7-1",
    ])
    func whatIsMalformedIsNone(field: String) {
        #expect(TraceContext(traceparent: field) == nil)
    }

    @Test func aNewerVersionIsReadAsFarAsItIsKnown() throws {
        let context = try #require(
            TraceContext(traceparent: "cc-\(Self.id)-00f067aa0ba902b7-03-what-comes"))
        #expect(context.traceparent == "00-\(Self.id)-00f067aa0ba902b7-01")
    }

    @Test func unknownTraceFlagsAreNotPropagated() throws {
        let context = try #require(
            TraceContext(traceparent: "00-\(Self.id)-00f067aa0ba902b7-ff"))
        #expect(context.traceparent.hasSuffix("-03"))
    }

    @Test func aStateThatIsLongOrStrangeIsLeftOut() throws {
        let long = String(repeating: "x", count: TraceContext.stateBytesMax)
        #expect(TraceContext(traceparent: Self.field, tracestate: long)?.tracestate == long)
        for state in [long + "x", "a=\n", "é", ""] {
            #expect(TraceContext(traceparent: Self.field, tracestate: state)?.tracestate == nil)
        }
    }

    @Test func aTraceBeginsAndGoesOn() throws {
        let draw = { UInt64.random(in: .min ... .max) }
        let begun = TraceContext.begun(by: draw)
        let next = begun.passed(by: draw)
        #expect(next.id == begun.id && next.traceparent != begun.traceparent)
        #expect(TraceContext(traceparent: begun.traceparent) == begun)
        #expect(TraceContext.begun(by: draw).id != begun.id)
    }
}
