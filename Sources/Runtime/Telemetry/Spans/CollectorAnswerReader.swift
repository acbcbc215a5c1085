#if Web
    import AsyncHTTPClient
    import NIOCore
    import NIOHTTP1
    import CacheMetrics
    import Threading

    /// Reads a collector's answer to one batch, and of a long answer only the beginning.
    final class CollectorAnswerReader: HTTPClientResponseDelegate {
        private struct Read: Sendable {
            var status = 0
            var retryAfter: String?
            var body: [UInt8] = []
        }

        private let read = Guarded(Read())

        func didReceiveHead(
            task: HTTPClient.Task<CollectorAnswer>, _ head: HTTPResponseHead
        ) -> EventLoopFuture<Void> {
            read.withLock {
                $0.status = Int(head.status.code)
                $0.retryAfter = head.headers.first(name: "retry-after")
            }
            return task.eventLoop.makeSucceededVoidFuture()
        }

        func didReceiveBodyPart(
            task: HTTPClient.Task<CollectorAnswer>, _ part: ByteBuffer
        ) -> EventLoopFuture<Void> {
            read.withLock { read in
                let room = SpanLimits.answerBytesMax - read.body.count
                read.body += part.readableBytesView.prefix(room)
            }
            return task.eventLoop.makeSucceededVoidFuture()
        }

        func didFinishRequest(task: HTTPClient.Task<CollectorAnswer>) -> CollectorAnswer {
            let read = read.withLock { $0 }
            return CollectorAnswer(
                status: read.status, retryAfter: read.retryAfter, body: read.body)
        }
    }
#endif
