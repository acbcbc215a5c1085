package import ByteCoding
package import CacheModel

/// AWAIT: which nodes have applied everything up to a position of the log? Answered with a RECEIPT.
///
///     body: wait 1, reserved 3, timeout 4 (milliseconds), epoch 4, sequence 8
public struct AwaitRequest: Hashable, Sendable {
    package var position: LogPosition
    package var wait: WaitMode
    package var timeoutMilliseconds: UInt32

    package init(position: LogPosition, wait: WaitMode, timeoutMilliseconds: UInt32) {
        self.position = position
        self.wait = wait
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.awaitReceipt, requestID: requestID, into: &writer)
        writer.append(wait.rawValue)
        writer.append(zeros: 3)
        writer.append(timeoutMilliseconds)
        writer.append(position)
        message.finish(&writer, count: 0)
    }

    package init(decoding body: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(body)
        wait = try reader.known(or: "what to wait for is not known")
        try reader.reserved(3)
        timeoutMilliseconds = try reader.next(UInt32.self)
        position = try reader.position()
        try reader.expectEnd()
    }
}
