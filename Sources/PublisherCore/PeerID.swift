/// Who sent a message, as a ROUTER names peers that do not name themselves: a zero, and four bytes
/// that it counts on.
///
/// Another name was chosen by its peer, which is not served: it could take a name that others have
/// or will have, and with it their replies. One who chooses a name of this form is taken for
/// unnamed; libzmq passes it over while another has that name.
package struct PeerID: Hashable, Sendable {
    /// Length of such a name.
    package static let bytesCount = 5

    private let number: UInt32

    /// - Returns: `nil` unless `bytes` is a name of that form.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.bytesCount, bytes[0] == 0 else { return nil }
        number = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
    }

    /// The name's bytes, valid inside `body` only.
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let name = (UInt64(number) << 8).littleEndian
        return try Swift.withUnsafeBytes(of: name) { room throws(Failure) in
            try body(UnsafeRawBufferPointer(rebasing: room[..<Self.bytesCount]))
        }
    }
}
