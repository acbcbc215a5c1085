import CacheConfiguration
import LibC
import ZeroMQ

/// The ports of the configuration: free, taken by a martlet, or by another program.
struct PlaceCheck: DoctorCheck {
    enum Sight: Hashable {
        case free
        /// The listener there greets as martlet does.
        case martlet
        case somebodyElse
        /// Not of this machine.
        case elsewhere
        case refused(String)
    }

    let endpoints: [String]
    private static let subject = "ports"

    init(_ configuration: ClusterConfiguration) {
        endpoints =
            (configuration.publisherAddresses.flatMap { [$0.control, $0.live].compactMap(\.self) }
            + configuration.nodes.flatMap { $0.shardEndpoints ?? [] })
            .filter { $0.hasPrefix("tcp:") }
    }

    func findings() async -> [DoctorFinding] {
        do {
            let context = try Context()
            return Self.judge(try endpoints.map { ($0, try Self.look(at: Endpoint($0), context)) })
        } catch {
            return [.hint(Self.subject, "they cannot be looked at: \(error)")]
        }
    }

    private static func look(at endpoint: Endpoint, _ context: Context) throws -> Sight {
        do throws(ZeroMQError) {
            let socket = try Socket(context, .pair)
            let bound = try socket.bind(endpoint)
            try socket.unbind(bound)
            return .free
        } catch {
            if error.isAddressNotAvailable { return .elsewhere }
            guard error.isAddressInUse else { return .refused("\(error)") }
            return Greeting.isHeard(at: endpoint) ? .martlet : .somebodyElse
        }
    }

    static func judge(_ sights: [(endpoint: String, sight: Sight)]) -> [DoctorFinding] {
        func count(_ wanted: Sight) -> Int { sights.filter { $0.sight == wanted }.count }
        var findings: [DoctorFinding] = []
        for (endpoint, sight) in sights {
            switch sight {
            case .free, .martlet, .elsewhere: continue
            case .somebodyElse:
                findings.append(
                    .wrong(
                        subject, "\(endpoint) is taken, and not by a martlet",
                        remedy: "ss -ltnp names the listener; choose another port, or stop it")
                )
            case .refused(let reason):
                findings.append(
                    .wrong(
                        subject, "\(endpoint) cannot be bound: \(reason)",
                        remedy: "choose an address and a port that this user may bind"))
            }
        }
        guard findings.isEmpty else { return findings }
        let parts = [
            (count(.free), "free"), (count(.martlet), "taken by a martlet"),
            (count(.elsewhere), "of other machines"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return parts.isEmpty ? [] : [.ok(subject, parts.joined(separator: ", "))]
    }
}

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
