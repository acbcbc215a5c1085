import ZeroMQ

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What a ZeroMQ peer sends as soon as a client connects, whatever keys it asks for: ten bytes,
/// `FF`, eight of no interest, `7F`.
enum Greeting {
    private static let byteCount = 10

    /// Whether it is heard in time at a tcp endpoint of this machine.
    static func isHeard(at endpoint: Endpoint) -> Bool {
        guard let (host, port) = place(endpoint), let descriptor = connected(host, port) else {
            return false
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: byteCount)
        var count = 0
        while count < byteCount {
            let room = byteCount - count
            let received = bytes.withUnsafeMutableBytes {
                recv(descriptor, $0.baseAddress.map { $0 + count }, room, 0)
            }
            guard received > 0 else { return false }
            count += received
        }
        return bytes.first == 0xFF && bytes.last == 0x7F
    }

    /// Host and port as they are written; a wildcard is this machine.
    private static func place(_ endpoint: Endpoint) -> (host: String, port: String)? {
        let text = endpoint.withServerKey(nil).description
        guard text.hasPrefix("tcp://"), let colon = text.lastIndex(of: ":") else { return nil }
        let host = text[..<colon].dropFirst(6).trimmingPrefix("[")
        let bare = host.hasSuffix("]") ? host.dropLast() : host
        return (bare == "*" ? "127.0.0.1" : String(bare), String(text[text.index(after: colon)...]))
    }

    private static func connected(_ host: String, _ port: String) -> Int32? {
        var hints = addrinfo()
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, port, &hints, &found) == 0, let info = found else { return nil }
        defer { freeaddrinfo(info) }
        let descriptor = socket(
            info.pointee.ai_family, info.pointee.ai_socktype, info.pointee.ai_protocol)
        guard descriptor >= 0 else { return nil }
        let seconds = Int(DoctorLimits.patience.components.seconds)
        var patience = timeval(tv_sec: seconds, tv_usec: 0)
        let length = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, length)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, length)
        guard connect(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
