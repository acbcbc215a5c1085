import ByteCoding
import CacheModel
import CacheWire

extension WarmUp.Question {
    /// As a frame.
    package var frame: [UInt8] {
        var writer = ByteWriter()
        switch content {
        case .survey:
            var message = MessageWriter(.status, requestID: number, into: &writer)
            message.field(fill: LogDigest(0), into: &writer)
            message.field(move: change, into: &writer)
            message.finish(&writer, count: 0)
        case .page(let place, let cursor):
            var request = ScanRequest(
                cursor: cursor, limit: WarmUpLimits.keysPerPageMax,
                target: .namespace(place.namespace), isCountOnly: false)
            request.isHottest = place.isHottest
            request.move = change
            request.encode(requestID: number, into: &writer)
        case .copies(let request): return request.frame(number: number)
        }
        return writer.array
    }
}

extension WarmUp.CopyRequest {
    /// As a frame. A release that does not know the field FILL does not load for it either.
    package func frame(number: UInt64) -> [UInt8] {
        var writer = ByteWriter()
        var message = MessageWriter(.get, requestID: number, into: &writer)
        message.field(namespace, into: &writer)
        message.field(
            MessageFields.ID.atLeast, fence.mark.position, into: &writer)
        let patience = WarmUpLimits.answerTimeout.wholeMilliseconds
        message.field(MessageFields.ID.deadline, UInt32(clamping: patience), into: &writer)
        message.field(.cacheOnly, into: &writer)
        message.field(peerUrgency: 2, into: &writer)
        message.field(fill: fence.mark.digest, into: &writer)
        message.field(move: change, into: &writer)
        for key in keys {
            key.bytes.withUnsafeBytes {
                GetOperation.append(key: $0, options: .details, part: part, to: &writer)
            }
        }
        message.finish(&writer, count: keys.count)
        return writer.array
    }
}
