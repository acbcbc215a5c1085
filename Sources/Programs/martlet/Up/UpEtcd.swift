import CacheConfiguration
import CacheModel
import CommandSurface
import EssentialFoundation
import LibC

/// The members of etcd that `up --publishers` starts for the log of its publishers: on loopback,
/// with their data in `DIR/etcd`.
///
/// There are three for any number of publishers: one may be lost.
struct UpEtcd: Sendable {
    struct Member: Hashable, Sendable {
        let name: String
        let client: String
        let peer: String
    }

    static let memberCount = 3
    /// The members have two ports each, behind the gateway's.
    private static let firstPortAfterPublisher = UInt16(ConfigurationLimits.standardPortsCount)
    private static let program = "etcd"
    private static let folder = "etcd"
    /// Where packages put it, if `PATH` does not say.
    private static let usualFolders = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]

    let members: [Member]
    private let port: UInt16
    private let directory: URL

    /// - Parameters:
    ///   - directory: of `up`.
    ///   - port: of the first publisher; all ports that ``UpPorts`` names exist.
    init(in directory: URL, port: UInt16) {
        self.port = port
        self.directory = directory.appendingPathComponent(Self.folder)
        members = (0..<UInt16(Self.memberCount)).map { number in
            let first = port + Self.firstPortAfterPublisher + 2 * number
            return Member(
                name: "etcd\(number + 1)", client: "http://127.0.0.1:\(first)",
                peer: "http://127.0.0.1:\(first + 1)")
        }
    }

    /// The places that must be free, as the check of ports wants them.
    var endpoints: [String] {
        members.flatMap { [$0.client, $0.peer] }.map { "tcp" + $0.dropFirst("http".count) }
    }

    /// The path of etcd on this machine.
    ///
    /// - Throws: ``CommandFailure`` that says how to install it.
    static func path(
        environment: [String: String] = ProcessEnvironment.variables
    ) throws(CommandFailure) -> String {
        let named = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        for folder in named + usualFolders {
            let path = "\(folder)/\(program)"
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw CommandFailure(
            .unusableConfiguration,
            "--publishers keeps the log on etcd, which is not installed here: apt-get install "
                + "etcd-server, or brew install etcd, and see docs/failover.md")
    }

    /// A run with another kind of log would begin a second one beside the first. A node that stands
    /// still meanwhile would not hear of what is invalidated there, once the first goes on.
    ///
    /// - Throws: ``CommandFailure`` if `directory` has a log of the other kind.
    static func checkLog(in directory: URL, isOnEtcd: Bool) throws(CommandFailure) {
        let other = directory.appendingPathComponent(isOnEtcd ? "log" : folder).path
        guard FileManager.default.fileExists(atPath: other) else { return }
        let (what, flag) =
            isOnEtcd
            ? ("the log of one publisher", "leave --publishers out")
            : ("the log of several publishers", "say --publishers 3")
        throw CommandFailure(
            .unusableConfiguration,
            "\(other) is \(what): \(flag), or give another --dir")
    }

    /// Makes the directory of the members' data. A member knows the others by their ports, so the
    /// data of an earlier run is of the same port.
    ///
    /// - Throws: ``CommandFailure`` if it is not, or it cannot be made.
    func prepare() throws {
        let note = directory.appendingPathComponent("port")
        if let found = FileManager.default.contents(atPath: note.path) {
            let text = String(decoding: found, as: UTF8.self).trimmed()
            guard text == "\(port)" else {
                throw CommandFailure(
                    .unusableConfiguration,
                    "\(directory.path) holds an etcd of --port \(text), and its members know each "
                        + "other by their ports: say --port \(text), or give another --dir")
            }
            return
        }
        // Its data is as secret as the log.
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700]
        )
        try ReplacedFile(note.path, flag: "--dir").write(Data("\(port)\n".utf8))
    }

    /// The sentence of a line that etcd has logged; `nil` for any other line, and for one that is
    /// no complaint.
    static func complaint(in line: Substring) -> String? {
        struct Line: Decodable {
            let level: String
            let msg: String
            let error: String?
        }
        guard line.hasPrefix("{") else { return nil }
        let said: Line
        do { said = try JSONDecoder().decode(Line.self, from: Data(line.utf8)) } catch {
            return nil
        }
        guard ["error", "fatal", "panic"].contains(said.level) else { return nil }
        return said.error.map { "\(said.msg): \($0)" } ?? said.msg
    }

    /// What `member` is started with.
    func arguments(of member: Member) -> [String] {
        let all = members.map { "\($0.name)=\($0.peer)" }.joined(separator: ",")
        return [
            "--name", member.name,
            "--data-dir", directory.appendingPathComponent(member.name).path,
            "--listen-client-urls", member.client, "--advertise-client-urls", member.client,
            "--listen-peer-urls", member.peer, "--initial-advertise-peer-urls", member.peer,
            "--initial-cluster", all, "--initial-cluster-token", "martlet-up",
            "--logger", "zap", "--log-level", "warn",
        ]
    }
}

/// One of the processes that `up` starts.
enum UpChild: Hashable, Sendable {
    case member(UpEtcd.Member)
    /// `nil`: the only one.
    case publisher(String?)
    case node(String)
    case gateway

    /// Its name, also that of its log.
    var name: String {
        switch self {
        case .member(let member): member.name
        case .publisher(let id): id ?? "publisher"
        case .node(let id): id
        case .gateway: UpGateway.name
        }
    }

    /// When it is asked to end: what uses another ends before that.
    var stage: Int {
        switch self {
        case .node, .gateway: 0
        case .publisher: 1
        case .member: 2
        }
    }

    /// By which it is asked to end. Members of etcd that end together look for another leader
    /// first, for more than five seconds; what they have confirmed is on their disks.
    var endSignal: Int32 {
        if case .member = self { SIGKILL } else { SIGTERM }
    }
}
