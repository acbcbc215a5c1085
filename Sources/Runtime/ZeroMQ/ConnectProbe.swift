import LibC

/// Connects to an endpoint by plain TCP, or to its path, and hangs up: libzmq goes on trying, and
/// does not tell a port that refuses from a host that is silent.
public enum ConnectProbe {
    /// Connects once. Blocks, and for longer than `patience` where the system looks up a name.
    ///
    /// - Parameter patience: how long the other side may take.
    public static func knock(at endpoint: Endpoint, patience: Duration) -> ConnectOutcome {
        switch endpoint.transport {
        case .tcp: knock(byTCP: endpoint.withServerKey(nil).description, patience)
        case .ipc: endpoint.path.map { knock(atPath: $0) } ?? .connected
        case .inproc: .connected
        }
    }

    private static func knock(byTCP text: String, _ patience: Duration) -> ConnectOutcome {
        let place = text.dropFirst("tcp://".count)
        guard let colon = place.lastIndex(of: ":") else { return .connected }
        let written = place[..<colon]
        let host = written.hasPrefix("[") ? written.dropFirst().dropLast() : written
        var hints = addrinfo()
        hints.ai_socktype = streamKind
        var found: UnsafeMutablePointer<addrinfo>?
        let port = String(place[place.index(after: colon)...])
        let code = getaddrinfo(String(host), port, &hints, &found)
        // A resolver that is not there yet may be in a moment.
        guard code != EAI_AGAIN else { return .silent }
        guard code == 0, let first = found else {
            return .unknownHost(String(cString: gai_strerror(code)))
        }
        defer { freeaddrinfo(first) }
        // It is final only if every address is.
        var told: ConnectOutcome?
        var next: UnsafeMutablePointer<addrinfo>? = first
        while let info = next {
            let outcome = connect(
                info.pointee.ai_family, info.pointee.ai_addr, info.pointee.ai_addrlen, patience)
            if outcome == .connected { return outcome }
            if told?.isFinal ?? true { told = outcome }
            next = info.pointee.ai_next
        }
        return told ?? .silent
    }

    private static func knock(atPath path: String) -> ConnectOutcome {
        // Names that lie in no file system are not looked for.
        guard !path.hasPrefix("@") else { return .connected }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < room else { return .connected }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(AF_UNIX, UnsafeMutablePointer(mutating: $0), length, .seconds(1))
            }
        }
    }

    private static func connect(
        _ family: Int32, _ address: UnsafeMutablePointer<sockaddr>?, _ length: socklen_t,
        _ patience: Duration
    ) -> ConnectOutcome {
        let descriptor = socket(family, streamKind, 0)
        guard descriptor >= 0 else { return outcome(of: errno) }
        defer { close(descriptor) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { return outcome(of: errno) }
        guard LibC.connect(descriptor, address, length) != 0 else { return .connected }
        guard errno == EINPROGRESS else { return outcome(of: errno) }
        var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&place, 1, patience.wholeMilliseconds) > 0 else { return .silent }
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else {
            return outcome(of: errno)
        }
        return code == 0 ? .connected : outcome(of: code)
    }

    private static func outcome(of code: Int32) -> ConnectOutcome {
        switch code {
        case ECONNREFUSED, ENOENT: .refused
        // What this process lacks for a moment says nothing of the other side.
        case ETIMEDOUT, EAGAIN, EMFILE, ENFILE, ENOBUFS, ENOMEM: .silent
        default: .impossible(String(cString: strerror(code)))
        }
    }

    #if canImport(Glibc)
        private static let streamKind = Int32(SOCK_STREAM.rawValue)
    #else
        private static let streamKind = SOCK_STREAM
    #endif
}
