#if Web
    import AsyncHTTPClient
    import CacheModel
    package import Logging
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    package import CacheMetrics
    import Threading

    /// Sends spans to an OpenTelemetry collector, as JSON over HTTP.
    ///
    ///     any thread ── record ──▶ SpanOutbox, under a lock
    ///                                  │ a step: send, wake, end
    ///                                  ▼
    ///     one event loop of its own ── POST …/v1/traces ──▶ collector
    ///
    /// Recording a span takes a lock for a moment and never waits. The outbox makes all decisions,
    /// and the exporter carries them out. A collector must answer within
    /// ``SpanLimits/attemptTime``; its answer is read up to ``SpanLimits/answerBytesMax``. No
    /// redirect is followed. The log gets at most one line a minute, never with the contents of a
    /// span.
    ///
    /// The owner calls ``stop()`` from a thread that may block, before the last reference goes.
    /// After that, spans are only counted.
    package final class SpanExporter: Sendable {
        private let options: SpanExportOptions
        private let logger: Logger
        private let outbox = Guarded(SpanOutbox())
        private let group: MultiThreadedEventLoopGroup
        private let loop: any EventLoop
        private let client: HTTPClient
        private let ended = Promise<Void>()
        private let isStopped = Guarded(false)

        package init(_ options: SpanExportOptions, logger: Logger) {
            self.options = options
            self.logger = logger
            group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            loop = group.next()
            client = HTTPClient(
                eventLoopGroup: group, configuration: .ofSpans)
        }

        /// The outcomes of spans so far.
        package var figures: SpanFigures { outbox.withLock { $0.figures } }

        /// Queues a span that has ended. From any thread.
        package func record(_ span: SpanRecord) {
            let now = MonotonicClock.now
            if let step = outbox.withLock({ $0.recorded(span, at: now) }) { take(step) }
        }

        /// Counts spans that were dropped for lack of capacity elsewhere.
        package func lose(_ count: Int) {
            guard count > 0 else { return }
            outbox.withLock { $0.lose(count) }
        }

        /// Sends the rest as far as ``SpanLimits/flushTime`` allows, and releases all resources.
        /// Blocks. Further calls do nothing.
        package func stop() {
            let isFirst = isStopped.withLock { isStopped in
                defer { isStopped = true }
                return !isStopped
            }
            guard isFirst else { return }
            let now = MonotonicClock.now
            if let step = outbox.withLock({ $0.stopping(at: now) }) { take(step) }
            let limit = loop.scheduleTask(in: TimeAmount(SpanLimits.flushTime)) { [self] in cut() }
            ended.wait()
            limit.cancel()
            let gone = Promise<Void>()
            client.shutdown().whenComplete { [group] _ in
                group.shutdownGracefully { _ in gone.fulfil(()) }
            }
            gone.wait()
        }

        private func cut() {
            outbox.withLock { $0.cut() }
            ended.fulfil(())
        }

        // MARK: Steps

        private func take(_ step: SpanOutbox.Step) {
            switch step {
            case .send(let batch): loop.execute { [self] in send(batch) }
            case .wake(let moment):
                let left = moment.elapsed(since: MonotonicClock.now)
                // A little later, so that the moment has surely passed.
                _ = loop.scheduleTask(in: TimeAmount(left) + .milliseconds(1)) { [weak self] in
                    self?.wake()
                }
            case .end: ended.fulfil(())
            }
        }

        private func wake() {
            let now = MonotonicClock.now
            if let step = outbox.withLock({ $0.woken(at: now) }) { take(step) }
        }

        private func send(_ batch: [SpanRecord]) {
            let request: HTTPClient.Request
            do {
                request = try HTTPClient.Request(
                    url: options.place.url, method: .POST,
                    headers: ["content-type": OTLPText.contentType, "user-agent": "martlet"],
                    body: .string(OTLPText.body(of: batch, from: options.resource)))
            } catch {
                return answered(.refused("its place is no URL that can be asked"))
            }
            let reader = CollectorAnswerReader()
            let task = client.execute(
                request: request, delegate: reader, eventLoop: .delegate(on: loop),
                deadline: .now() + TimeAmount(SpanLimits.attemptTime))
            task.futureResult.whenComplete { [self] result in
                switch result {
                case .success(let answer): answered(answer)
                case .failure(let error): answered(.later(Self.reason(error), after: nil))
                }
            }
        }

        private func answered(_ answer: CollectorAnswer) {
            let now = MonotonicClock.now
            let draw = UInt64.random(in: 0...(.max))
            let (step, news) = outbox.withLock { outbox in
                (outbox.answered(answer, at: now, draw: draw), outbox.takeNews(at: now))
            }
            if let news { tell(news) }
            if let step { take(step) }
        }

        private func tell(_ news: CollectorNews.Line) {
            let lost =
                news.lostCount == 0
                ? "it is tried again, and none is lost so far"
                : "lost since a line of this kind: \(news.lostCount)"
            logger.warning(
                """
                the collector of spans at \(options.place.origin) does not take all of them: \
                \(news.reason ?? "more are recorded than it takes"); \(lost)
                """)
        }

        /// Why the request failed, in a few words; the client's own errors may contain what was
        /// sent.
        private static func reason(_ error: any Error) -> String {
            switch error {
            case let error as HTTPClientError
            where error == .deadlineExceeded || error == .readTimeout:
                "it did not answer in time"
            case let error as HTTPClientError where error == .connectTimeout:
                "the connection attempt timed out"
            case is ChannelError, is IOError, is NIOConnectionError: "it cannot be reached"
            default: "the connection to it broke"
            }
        }
    }
#endif
