import ByteCoding
import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire

/// What a warm-up asks of shards, as bytes, and what they answer.
enum WarmUpMessage {
    static func encode(_ question: WarmUp.Question) -> [UInt8] {
        var request = ScanRequest(
            cursor: question.cursor, limit: question.limit,
            target: .namespace(question.namespace), isCountOnly: false)
        request.isHottest = true
        var writer = ByteWriter()
        request.encode(requestID: question.number, into: &writer)
        return writer.array
    }

    /// - Parameter patience: how long the shard may take.
    static func encode(_ order: WarmUp.Order, patience: Duration) -> [UInt8] {
        var writer = ByteWriter()
        var message = MessageWriter(.get, requestID: order.number, into: &writer)
        message.field(order.namespace, into: &writer)
        message.field(
            MessageFields.ID.deadline, UInt32(clamping: patience.wholeMilliseconds), into: &writer)
        order.key.bytes.withUnsafeBytes {
            GetOperation.append(key: $0, options: .prefetch, to: &writer)
        }
        message.finish(&writer, count: 1)
        return writer.array
    }

    enum Answer {
        case page(UInt64, WarmUp.Page)
        case ended(UInt64, WarmUp.Ending)
        /// The message was refused as a whole, or cannot be read.
        case refused(UInt64)
    }

    static func decode(_ bytes: UnsafeRawBufferPointer) -> Answer {
        let number = MessageHeader.requestID(ofDamaged: bytes)
        do throws(WireRefusal) {
            let message = try MessageView(decoding: bytes)
            switch message.type {
            case .scanPage: return .page(number, page(try ScanPage(decoding: message)))
            case .results:
                var reader = ByteReader(message.body)
                _ = try Proof(decoding: &reader)
                let result = try OperationResult(decoding: &reader)
                return .ended(number, try ending(result))
            default: return .refused(number)
            }
        } catch {
            return .refused(number)
        }
    }

    private static func page(_ page: ScanPage) -> WarmUp.Page {
        WarmUp.Page(
            keys: page.lines.map { WarmUp.HotKey(key: $0.key, heat: $0.heat) },
            nextCursor: page.nextCursor)
    }

    private static func ending(
        _ result: OperationResult
    ) throws(WireRefusal) -> WarmUp.Ending {
        let fields = try ResultFields(decoding: result.fields)
        let retryAfter = fields.retryAfterMilliseconds.map { Duration.milliseconds(Int64($0)) }
        switch result.status {
        case .hit: return .done
        case .miss: return result.flags.contains(.negative) ? .done : .failed
        case .busy, .behind, .deferred: return .pushedBack(retryAfter: retryAfter)
        case .failed:
            switch LoadFailure(rawValue: result.detail) {
            case .timedOut, .stillLoading, .unreachable, .unavailable, .broken, .overloaded:
                return .pushedBack(retryAfter: retryAfter)
            default: return .failed
            }
        default: return .failed
        }
    }
}
