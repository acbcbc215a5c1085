import AccessControl
import CacheAccess
import TestSupport
import Threading
import ZeroMQ

/// A process that listens, in small: a gatekeeper with a list in a file, a ROUTER and an XPUB.
final class GuardedServer {
    let folder: TemporaryDirectory
    let log = LinesLogged()
    let keys: CurveKeyPair
    let context: Context
    let gatekeeper: Gatekeeper
    let endpoint: Endpoint
    let live: Endpoint
    /// The tables that it was told of, in order.
    let told = Guarded<[AccessTable]>([])
    let failures = Guarded<[ZeroMQError]>([])
    private var router: Socket?
    private var xpub: Socket?
    private let outside: Context

    init(_ list: String) throws {
        folder = try TemporaryDirectory()
        keys = try CurveKeyPair.generate()
        context = try Context(keys: keys)
        outside = try Context()
        try folder.write(list, to: "list")
        gatekeeper = try Gatekeeper(
            in: context, listFile: folder.path("list"), logger: log.logger
        ) { [failures] error in failures.withLock { $0.append(error) } }
        gatekeeper.follow { [told] table in told.withLock { $0.append(table) } }
        let router = try Socket(context, .router)
        let xpub = try Socket(context, .xpub)
        endpoint = try router.bind(Endpoint("tcp://127.0.0.1:*"), domain: AccessDomain.data.zap)
        live = try xpub.bind(Endpoint("tcp://127.0.0.1:*"), domain: AccessDomain.live.zap)
        self.router = consume router
        self.xpub = consume xpub
    }

    /// Lets go of everything, in the order in which a process does.
    func end() {
        gatekeeper.stop()
        router = nil
        xpub = nil
        context.terminate()
    }

    var table: AccessTable? { told.withLock { $0.last } }

    func write(_ list: String) throws { try folder.write(list, to: "list") }

    /// What comes of knocking at the ROUTER, as somebody from outside.
    func knock(
        as guise: HandshakeProbe.Guise, patience: Duration = .seconds(10)
    ) throws -> HandshakeOutcome {
        try HandshakeProbe.knock(at: endpoint, as: guise, patience: patience, in: outside)
    }

    func knockLive(as guise: HandshakeProbe.Guise) throws -> HandshakeOutcome {
        try HandshakeProbe.knock(
            at: live, .sub, as: guise, patience: .seconds(10), in: outside)
    }

    /// The number behind the next message.
    func nextNumber() throws -> UInt32? {
        var frame = Frame()
        var number: UInt32?
        try waitUntil("a message") {
            guard try router?.receive(into: &frame) == true else { return false }
            while frame.hasMore, try router?.receive(into: &frame) == true {}
            number = frame.userNumber
            return true
        }
        return number
    }
}

/// Somebody with a key who sends to a server.
struct Holder: ~Copyable {
    private let socket: Socket

    init(_ keys: CurveKeyPair, _ server: Endpoint) throws {
        let socket = try Socket(Context(keys: keys), .dealer)
        try socket.connect(server)
        self.socket = socket
    }

    func send() throws {
        try waitUntil("there is room") {
            var frame = Frame(copying: [7])
            return try socket.send(&frame, more: false) == .sent
        }
    }
}
