#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Where datagrams go on this machine: the path of a socket, or `@` and a name of Linux's abstract
/// namespace.
struct UnixPlace: Sendable {
    /// As the system reads it, without the NUL at the end of a path.
    private let name: [UInt8]
    private var isAbstract: Bool { name.first == 0 }

    /// - Returns: `nil` for what is neither, or longer than a socket's name may be.
    init?(_ text: String) {
        var name = Array(text.utf8)
        switch name.first {
        case UInt8(ascii: "/"): break
        case UInt8(ascii: "@") where name.count > 1: name[0] = 0
        default: return nil
        }
        // A path ends with a NUL, which has to fit too.
        guard name.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
        self.name = name
    }

    /// Sends one datagram, without waiting.
    ///
    /// - Returns: the errno of what went wrong; `nil` if nothing did.
    func send(_ bytes: [UInt8]) -> Int32? {
        #if canImport(Darwin)
            let descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
            let flags = Int32(MSG_DONTWAIT)
        #else
            let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            let descriptor = socket(AF_UNIX, kind, 0)
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        #endif
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let before = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 0
        let length = socklen_t(before + name.count + (isAbstract ? 0 : 1))
        let sent = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, flags, $0, length)
            }
        }
        return sent < 0 ? errno : nil
    }
}
