/// Who sent a message, as the control socket names it: 1 to 15 opaque bytes, kept inline.
package struct PeerID: Hashable, Sendable {
    /// Longest name. libzmq gives names of 5 bytes to those who do not choose one.
    package static let bytesMax = 15

    private var low: UInt64 = 0
    /// Its highest byte is the length.
    private var high: UInt64 = 0

    /// - Returns: `nil` unless `bytes` holds 1 to 15 bytes.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard (1...Self.bytesMax).contains(bytes.count) else { return nil }
        withUnsafeMutableBytes(of: &self) { room in
            room.copyMemory(from: bytes)
            room[Self.bytesMax] = UInt8(bytes.count)
        }
    }

    /// The name's bytes, valid inside `body` only.
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try Swift.withUnsafeBytes(of: self) { room throws(Failure) in
            try body(UnsafeRawBufferPointer(rebasing: room[..<Int(room[Self.bytesMax])]))
        }
    }
}
