import Foundation
import TestSupport
import ZeroMQ

/// What the bare processes say to each other. A record begins with its number and with whether an
/// answer is wanted; a batch is records with their lengths before them.
enum BareProtocol {
    static let warmUp = UInt64.max - 1
    static let end = UInt64.max
    static let anywhere = "tcp://127.0.0.1:*"

    static func record(_ number: UInt64, isAnswered: Bool, bytes: Int) -> [UInt8] {
        var record = [UInt8](repeating: 7, count: max(bytes, 16))
        record.withUnsafeMutableBytes {
            $0.storeBytes(of: number, as: UInt64.self)
            $0.storeBytes(of: isAnswered ? 1 : 0, toByteOffset: 8, as: UInt64.self)
        }
        return record
    }

    static func number(_ record: UnsafeRawBufferPointer) -> UInt64 {
        record.loadUnaligned(as: UInt64.self)
    }

    static func isAnswered(_ record: UnsafeRawBufferPointer) -> Bool {
        record.loadUnaligned(fromByteOffset: 8, as: UInt64.self) == 1
    }

    static func append(_ record: UnsafeRawBufferPointer, to batch: inout [UInt8]) {
        withUnsafeBytes(of: UInt32(record.count)) { batch.append(contentsOf: $0) }
        batch.append(contentsOf: record)
    }

    static func forEachRecord(
        in batch: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        var offset = 0
        while offset + 4 <= batch.count {
            let count = Int(batch.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            let end = offset + 4 + count
            guard count >= 16, end <= batch.count else { return }
            try body(UnsafeRawBufferPointer(rebasing: batch[offset + 4..<end]))
            offset = end
        }
    }

    /// Sends though the queue is full, after a while.
    static func send(_ bytes: [UInt8], on socket: borrowing Socket) throws {
        let deadline = Time.now + 10_000_000_000
        while try bytes.withUnsafeBytes({ try socket.send($0, more: false) }) != .sent {
            guard Time.now < deadline else { throw GaveUp("nobody takes what is sent") }
            Time.pause(nanoseconds: 50_000)
        }
    }
}
