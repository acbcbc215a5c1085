import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A socket of this machine that hears datagrams, as a service manager has one.
package struct DatagramSocket: Sendable {
    private let descriptor: Int32
    package let path: String

    /// - Parameter path: where it listens, in a directory that is there.
    package init(at path: String) throws {
        #if canImport(Darwin)
            let kind = SOCK_DGRAM
        #else
            let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #endif
        descriptor = socket(AF_UNIX, kind, 0)
        self.path = path
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0 else { throw GaveUp("cannot listen at \(path): \(errno)") }
    }

    /// The next datagram; `nil` if none came in time.
    package func received(within patience: Duration = patience) -> String? {
        let end = ContinuousClock.now + patience
        var bytes = [UInt8](repeating: 0, count: 4_096)
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        repeat {
            let left = max(.zero, end - ContinuousClock.now) / .milliseconds(1)
            guard poll(&watched, 1, Int32(left.rounded(.up))) > 0 else { continue }
            let count = recv(descriptor, &bytes, bytes.count, 0)
            guard count >= 0 else { return nil }
            return String(decoding: bytes.prefix(count), as: UTF8.self)
        } while ContinuousClock.now < end
        return nil
    }

    package func remove() {
        close(descriptor)
        unlink(path)
    }
}
