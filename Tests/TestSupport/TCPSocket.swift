import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A plain TCP socket on 127.0.0.1, for saying what no ZeroMQ peer says. Calls block.
package struct TCPSocket: Sendable {
    package let descriptor: CInt

    private init(descriptor: CInt) { self.descriptor = descriptor }

    private static func opened() throws -> TCPSocket {
        #if canImport(Darwin)
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | closesOnExec, 0)
        #endif
        guard descriptor >= 0 else { throw GaveUp("no socket: \(errno)") }
        return TCPSocket(descriptor: descriptor)
    }

    #if !canImport(Darwin)
        /// Programs that a test starts must not hold its sockets open.
        private static let closesOnExec = CInt(SOCK_CLOEXEC.rawValue)
    #endif

    /// - Parameters:
    ///   - sending: how long a call waits for a peer that does not read.
    ///   - receiving: how long a call waits for bytes; `nil` for no limit.
    package static func connected(
        to port: UInt16, sending: Duration = .seconds(2), receiving: Duration? = nil
    ) throws -> TCPSocket {
        let socket = try opened()
        guard socket.at(port, connect) == 0 else {
            socket.close()
            throw GaveUp("cannot connect to port \(port): \(errno)")
        }
        socket.limit(SO_SNDTIMEO, to: sending)
        if let receiving { socket.limit(SO_RCVTIMEO, to: receiving) }
        return socket
    }

    private func limit(_ option: CInt, to duration: Duration) {
        var time = timeval(tv_sec: Int(duration.components.seconds), tv_usec: 0)
        let length = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, option, &time, length)
    }

    /// Listens on a port that the system chooses.
    package static func listening() throws -> TCPSocket {
        let socket = try opened()
        guard socket.at(0, bind) == 0, listen(socket.descriptor, 64) == 0 else {
            socket.close()
            throw GaveUp("cannot listen: \(errno)")
        }
        return socket
    }

    /// A port that was free a moment ago, for a program that takes no port of the system's choice.
    package static func freePort() throws -> UInt16 {
        let socket = try listening()
        defer { socket.close() }
        return socket.port
    }

    private func at(
        _ port: UInt16, _ call: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) -> CInt {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    package var port: UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// - Returns: `nil` once the socket was shut down.
    package func accepted() -> TCPSocket? {
        let peer = accept(descriptor, nil, nil)
        return peer < 0 ? nil : TCPSocket(descriptor: peer)
    }

    /// - Returns: empty at the end of the stream, and after an error.
    package func received() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        return count <= 0 ? [] : Array(bytes.prefix(count))
    }

    /// Everything until the other side hangs up, or so many bytes, as text. Read on a thread of its
    /// own.
    package func allReceived(upTo most: Int = .max) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var all: [UInt8] = []
                while all.count < most {
                    let piece = received()
                    if piece.isEmpty { break }
                    all += piece
                }
                continuation.resume(returning: String(decoding: all, as: UTF8.self))
            }
        }
    }

    /// Whether the other side has ended the connection, as far as is known now. What it said before
    /// is passed over.
    package var isHungUpOn: Bool {
        var byte: UInt8 = 0
        while true {
            let count = recv(descriptor, &byte, 1, CInt(MSG_DONTWAIT))
            if count == 0 { return true }
            if count < 0 { return errno != EAGAIN && errno != EWOULDBLOCK }
        }
    }

    /// - Returns: whether all of it was taken; the other side may hang up at any byte.
    @discardableResult
    package func say(_ bytes: [UInt8]) -> Bool {
        #if canImport(Darwin)
            let flags: CInt = 0
        #else
            let flags = CInt(MSG_NOSIGNAL)
        #endif
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent, flags)
            }
            if count <= 0 { return false }
            sent += count
        }
        return true
    }

    /// Wakes whoever waits on it; it still has to be closed.
    package func shutDown() { shutdown(descriptor, CInt(SHUT_RDWR)) }

    package func close() {
        #if canImport(Darwin)
            _ = Darwin.close(descriptor)
        #else
            _ = Glibc.close(descriptor)
        #endif
    }
}
