import CZeroMQ

/// A version of libzmq.
///
/// Law of order – by major, then minor, then patch: 4.2.9 < 4.3.0 < 4.3.4 < 4.3.10 < 5.0.0.
public struct LibraryVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let major: Int
    public let minor: Int
    public let patch: Int

    public init(_ major: Int, _ minor: Int, _ patch: Int) {
        self.major = major
        self.minor = minor
        self.patch = patch
    }

    /// The oldest version this wrapper runs on. Every earlier one can be broken into by a peer
    /// (CVE-2021-20234 to 20237 and before).
    public static let floor = LibraryVersion(4, 3, 4)

    /// The version this process runs with, which need not be the one it was compiled against.
    public static var linked: LibraryVersion {
        var (major, minor, patch): (CInt, CInt, CInt) = (0, 0, 0)
        zmq_version(&major, &minor, &patch)
        return LibraryVersion(Int(major), Int(minor), Int(patch))
    }

    /// Whether the library that this process runs with can use keys.
    public static var hasCurve: Bool { zmq_has("curve") == 1 }

    public var description: String { "\(major).\(minor).\(patch)" }

    public static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.major, lhs.minor, lhs.patch) < (rhs.major, rhs.minor, rhs.patch)
    }
}
