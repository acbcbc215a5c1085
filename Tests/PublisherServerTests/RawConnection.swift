import ZeroMQ

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A plain TCP connection to a port on 127.0.0.1, for saying what no ZeroMQ peer says.
final class RawConnection {
    private let descriptor: CInt

    init(to endpoint: Endpoint) throws {
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = (endpoint.port ?? 0).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                connect(descriptor, $0.baseAddress, length)
            }
        }
        guard result == 0 else { throw GaveUp("cannot connect to \(endpoint)") }
    }

    deinit { close(descriptor) }

    /// Sends what the other side takes; it may hang up at any byte.
    func say(_ bytes: [UInt8]) {
        #if canImport(Darwin)
            let flags: CInt = 0
        #else
            let flags = CInt(MSG_NOSIGNAL)
        #endif
        _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
    }
}
