package import CacheAccess

/// The routing id of a message's sender, as a ROUTER socket assigns it to peers without a name: a
/// zero, and a counter of four bytes.
///
/// A peer that chose its own name is not served: it could take the name of another peer, present or
/// future, and receive its replies. A chosen name of this form is taken for an assigned one; libzmq
/// ignores it while another peer has that name.
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

/// The sender of a message, as the control channel knows it.
package struct MessageSender {
    package let peer: PeerID
    /// The principal of its key; unknown if access control is off.
    package let principal: PrincipalNumber
    /// The address of its connection, for the audit log; empty if unknown.
    package let address: String

    package init(
        _ peer: PeerID, principal: PrincipalNumber = .unknown, address: String = ""
    ) {
        self.peer = peer
        self.principal = principal
        self.address = address
    }
}
