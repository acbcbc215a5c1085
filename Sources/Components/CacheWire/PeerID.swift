/// The sender of a request: the routing id that a ROUTER assigns to an unnamed peer, a zero and
/// four bytes that it counts up.
///
/// Any other id was chosen by its peer, which is not served: it could receive another's replies. A
/// peer that chooses an id of this form counts as unnamed; libzmq skips that id while another peer
/// has it.
public struct PeerID: Hashable, Sendable {
    package static let encodedBytes = 5

    @usableFromInline package let rawValue: UInt64

    /// - Returns: `nil` unless `bytes` is a routing id made by a ROUTER.
    @inlinable
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 5, bytes[0] == 0 else { return nil }
        let low = UInt64(bytes.loadUnaligned(as: UInt32.self))
        rawValue = low | UInt64(bytes[4]) << 32
    }

    /// Calls `body` with the five bytes.
    @inlinable
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var value = rawValue.littleEndian
        return try withUnsafePointer(to: &value) { pointer throws(Failure) in
            try body(UnsafeRawBufferPointer(start: pointer, count: 5))
        }
    }
}
