import CacheModel
import CacheWire
import InMemoryTracing
import MartletClient
import Testing
import Threading
import Tracing

/// What a client records by the tracer that it was given.
@Suite struct ClientSpansTests {
    private let tracer = WordsTracer()

    private func withClient(
        _ kind: TopologyReport.Kind = .sharded, tracer: (any Tracer)? = nil,
        _ body: (CacheClient, ScriptedCluster) async throws -> Void
    ) async throws {
        let cluster = try ScriptedCluster(kind)
        try await cluster.withClient({ $0.tracer = tracer ?? self.tracer }) { client in
            try await body(client, cluster)
        }
    }

    private func attribute(_ span: FinishedInMemorySpan, _ name: String) -> SpanAttribute? {
        span.attributes.get(name)
    }

    @Test func eachOperationHasASpan() async throws {
        try await withClient { client, _ in
            let (a, b) = (Sample.key("a"), Sample.key("b"))
            _ = try await client.set(a, to: [1])
            _ = try await client.get(a)
            _ = try await client.get(b)
            _ = try await client.get([a, b])
            _ = try await client.touch(a, lifetime: .never)
            _ = try await client.delete([a])
            _ = try await client.invalidate([Scope(.everything)], wait: .none)
            _ = await client.set([StoreItem(a, [1]), StoreItem(b, [2])])
        }
        let spans = tracer.spans
        #expect(
            spans.map(\.operationName) == [
                "set default", "get default", "get default", "get default", "touch default",
                "delete default", "invalidate", "set default",
            ])
        for span in spans {
            #expect(span.kind == .client && span.status == nil && span.parentSpanID == nil)
            #expect(attribute(span, "db.system.name") == .string("martlet"))
            let operation = String(span.operationName.prefix { $0 != " " })
            #expect(attribute(span, "db.operation.name") == .string(operation))
            let namespace: SpanAttribute? = operation == "invalidate" ? nil : .string("default")
            #expect(attribute(span, "db.namespace") == namespace)
        }
        #expect(attribute(spans[1], "martlet.hit") == .bool(true))
        #expect(attribute(spans[1], "martlet.tier") == .string("memory"))
        #expect(attribute(spans[1], "martlet.node") == .string("n0"))
        #expect(attribute(spans[2], "martlet.hit") == .bool(false))
        #expect(attribute(spans[3], "martlet.hits") == .int64(1))
        #expect(attribute(spans[3], "db.operation.batch.size") == .int64(2))
        #expect(attribute(spans[0], "db.operation.batch.size") == nil, "one is no batch")
        #expect(attribute(spans[7], "db.operation.batch.size") == .int64(2))
    }

    @Test func theNodeIsToldWhichSpanAsks() async throws {
        try await withClient { client, cluster in
            _ = try await client.get(Sample.key("a"))
            _ = try await client.get([Sample.key("a")])
            _ = try await client.set(Sample.key("a"), to: [1])
            _ = try await client.delete([Sample.key("a")])
            let told = cluster.shards[0].script.withLock { $0.seen.compactMap(\.trace) }
            let spans = tracer.spans
            try #require(told.count == spans.count)
            for (trace, span) in zip(told, spans) {
                #expect(trace.id == WordsTracer.id && trace.isSampledByWords)
                #expect(trace.traceparent.contains(WordsTracer.words(span.spanID)))
                #expect(trace.tracestate == "vendor=1")
            }
            _ = try await client.invalidate([Scope(.everything)], wait: .none)
            let ordered = cluster.publisher.script.withLock {
                $0.seen.last { $0.type == .invalidate }
            }
            #expect(ordered?.trace?.id == WordsTracer.id)
        }
    }

    @Test func aSpanIsBelowThatOfTheTask() async throws {
        try await withClient { client, _ in
            try await tracer.memory.withSpan("page") { _ in
                _ = try await client.get(Sample.key("a"))
            }
        }
        let spans = tracer.spans
        #expect(spans.map(\.operationName) == ["get default", "page"])
        #expect(spans[0].parentSpanID == spans[1].spanID)
    }

    @Test func aLoadIsOneSpanAndItsOriginIsBelowIt() async throws {
        try await withClient { client, cluster in
            let value = await client.load(Sample.key("a")) { _ in
                tracer.memory.startSpan("database").end()
                return LoadedValue([1])
            }
            #expect(value.notStored == nil)
            _ = await client.load(Sample.key("a")) { _ in LoadedValue([2]) }
            let traces = cluster.shards[0].script.withLock { $0.seen.map(\.trace?.id) }
            #expect(traces.allSatisfy { $0 == WordsTracer.id }, "its store goes with it, too")
        }
        let spans = tracer.spans
        #expect(spans.map(\.operationName) == ["database", "load default", "load default"])
        #expect(spans[0].parentSpanID == spans[1].spanID)
        #expect(attribute(spans[1], "martlet.hit") == .bool(false))
        #expect(attribute(spans[2], "martlet.hit") == .bool(true))
    }

    @Test func aFailureSaysItsCodeAndNotItsWords() async throws {
        try await withClient { client, cluster in
            cluster.shards[0].script.withLock { $0.status = .failed }
            await #expect(throws: CacheError.self) { try await client.get(Sample.key("secret")) }
            _ = await client.results(for: [Sample.key("secret"), Sample.key("b")])
            await #expect(throws: CacheError.self) { try await client.invalidate([]) }
        }
        let spans = tracer.spans
        #expect(spans.count == 3)
        for span in spans {
            let type = try #require(attribute(span, "error.type"))
            #expect(span.status == SpanStatus(code: .error, message: text(type)))
            #expect(span.errors.isEmpty && span.events.isEmpty)
        }
        #expect(attribute(spans[2], "error.type") == .string("invalidArgument"))
    }

    private func text(_ attribute: SpanAttribute) -> String? {
        if case .string(let text) = attribute { text } else { nil }
    }

    @Test func noSpanSaysAKeyATagOrAValue() async throws {
        try await withClient { client, _ in
            let key = Sample.key("secret-key")
            var options = StoreOptions()
            options.tags = [try #require(Tag("secret-tag"))]
            options.etag = Validator("secret-etag")
            _ = try await client.set(key, to: Array("secret-value".utf8), options: options)
            var read = ReadOptions()
            read.wantsDetails = true
            _ = try await client.get(key, options: read)
            _ = await client.load(key) { _ in LoadedValue([1]) }
            _ = try await client.invalidate([Scope(.key(key, in: .default))], wait: .none)
        }
        for span in tracer.spans {
            var said = span.operationName
            span.attributes.forEach { said += " \($0)=\($1)" }
            #expect(!said.contains("secret"), "\(said)")
        }
    }

    @Test func operationsThatAreNotRecordedSendNoTrace() async throws {
        let silent = WordsTracer(isRecording: false)
        try await withClient(tracer: silent) { client, cluster in
            _ = try await client.set(Sample.key("a"), to: [1])
            let found = try await client.get(Sample.key("a"))
            #expect(found?.bytes == [1])
            #expect(cluster.shards[0].script.withLock { $0.seen.allSatisfy { $0.trace == nil } })
            var options = ReadOptions()
            options.trace = TraceContext(traceparent: "00-\(WordsTracer.id)-00000000000000aa-00")
            _ = try await client.get(Sample.key("a"), options: options)
            let last = cluster.shards[0].script.withLock { $0.seen.last?.trace }
            #expect(last == options.trace, "what the caller says by hand goes on")
        }
        #expect(silent.spans.isEmpty)
    }

    @Test func aTracerOfOtherWordsLeavesTheTraceAsItIs() async throws {
        let memory = InMemoryTracer()
        try await withClient(tracer: memory) { client, cluster in
            var options = ReadOptions()
            options.trace = TraceContext(traceparent: "00-\(WordsTracer.id)-00000000000000aa-01")
            _ = try await client.get(Sample.key("a"), options: options)
            #expect(cluster.shards[0].script.withLock { $0.seen.last?.trace } == options.trace)
        }
        #expect(memory.finishedSpans.count == 1)
        #expect(memory.performedContextInjections.count == 1)
    }
}

extension TraceContext {
    /// Whether its flags say that it is recorded.
    fileprivate var isSampledByWords: Bool { traceparent.hasSuffix("-01") }
}
