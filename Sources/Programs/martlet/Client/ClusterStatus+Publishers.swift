import CacheModel
import CommandSurface
import MartletClient

/// What `status` shows of a cluster with several publishers; nothing where there is one.
extension ClusterStatus {
    func writePublishers(_ style: OutputStyle, into output: inout CommandOutput) {
        guard let publishers else { return }
        let isColoured = style.isColoured
        output.write("\n" + Self.table(publishers).text(isColoured: isColoured))
        output.writeLine(Self.leadership(publishers))
        if !publishers.etcd.isEmpty {
            output.write("\n" + Self.table(publishers.etcd).text(isColoured: isColoured))
        }
        publishers.publishers.compactMap(Self.trouble).forEach { output.writeLine($0) }
        publishers.etcd.compactMap(Self.trouble).forEach { output.writeLine($0) }
    }

    /// Publishers that do not answer; the one that was asked for the cluster is complained of
    /// elsewhere.
    func complainOfPublishers(in output: inout CommandOutput) {
        for publisher in publishers?.publishers ?? [] {
            guard case .failure(let error) = publisher.status,
                publisherFailure == nil || publisher.controlEndpoint != topology.controlEndpoint
            else { continue }
            let place = ClusterPublishers.shown(publisher.controlEndpoint)
            Self.complain(of: "publisher \(publisher.name) (\(place))", error, in: &output)
        }
    }

    private static func table(_ publishers: ClusterPublishers) -> Table {
        var table = Table([
            .left("publisher"), .left("role"), .left("state"), .right("applied"), .right("lag"),
            .left("etcd"), .left("endpoint"),
        ])
        for publisher in publishers.publishers {
            let snapshot = publisher.snapshot
            let lag = publishers.lag(of: publisher)
            table.add([
                .init(publisher.name), .init(publisher.leads ? "leader" : "standby"),
                snapshot.map { state($0.state) } ?? silent(publisher.failure),
                .init(snapshot?.position.description ?? FigureText.none),
                .init(lag.map(String.init) ?? FigureText.none, (lag ?? 0) > 0 ? .warning : .plain),
                etcd(publisher.reachesEtcd),
                .init(ClusterPublishers.shown(publisher.controlEndpoint)),
            ])
        }
        return table
    }

    private static func etcd(_ reaches: Bool?) -> Table.Cell {
        guard let reaches else { return .init(FigureText.none) }
        return reaches ? .init("answers", .good) : .init("FAILS", .bad)
    }

    private static func leadership(_ publishers: ClusterPublishers) -> String {
        guard let leader = publishers.leader else {
            return "no publisher leads: invalidations wait until one does"
        }
        let age = publishers.termAge.map { " for \(FigureText.timeLeft($0))" } ?? ""
        let term = publishers.term.map { ", in term \(ClusterPublishers.text(ofTerm: $0))" } ?? ""
        return "\(leader.name) leads\(age)\(term)"
    }

    private static func table(_ members: [ClusterPublishers.EtcdMember]) -> Table {
        var table = Table([.left("etcd"), .left("state"), .left("role"), .right("database")])
        for member in members {
            let answers = member.condition != .silent
            let role = member.isLeader ? "leader" : "follower"
            table.add([
                .init(member.endpoint), state(member.condition),
                .init(answers ? role : FigureText.none),
                .init(answers ? FigureText.size(member.databaseBytes) : FigureText.none),
            ])
        }
        return table
    }

    private static func state(_ condition: EtcdCondition) -> Table.Cell {
        switch condition {
        case .healthy: .init("healthy", .good)
        case .silent: .init("UNREACHABLE", .bad)
        case .leaderless: .init("NO LEADER", .bad)
        case .full: .init("NOSPACE", .bad)
        case .corrupt: .init("CORRUPT", .bad)
        case .troubled: .init("TROUBLED", .warning)
        }
    }

    private static func trouble(_ publisher: ClusterPublishers.Publisher) -> String? {
        if publisher.reachesEtcd == false {
            return publisher.leads
                ? "\(publisher.name): etcd does not answer it, or refuses: invalidations wait; its "
                    + "log says why"
                : "\(publisher.name): etcd does not answer it, or refuses: it cannot take over; "
                    + "its log says why"
        }
        guard !publisher.leads, let state = publisher.snapshot?.state, state != .live else {
            return nil
        }
        return "\(publisher.name): it has not read the whole log yet, and lets others take over "
            + "before it"
    }

    private static func trouble(_ member: ClusterPublishers.EtcdMember) -> String? {
        let sentence: String? =
            switch member.condition {
            case .healthy, .silent: nil
            case .leaderless: "it knows no leader of etcd: a majority of the members is away"
            case .full:
                "its space is used up and etcd refuses all writes; raise --quota-backend-bytes, "
                    + "then: etcdctl alarm disarm"
            case .corrupt: "its data differ from those of the other members; replace it"
            case .troubled: "it reports an error; its own log says which"
            }
        return sentence.map { "etcd \(member.endpoint): \($0)" }
    }
}

extension ClusterPublishers.Publisher {
    fileprivate var failure: CacheError? {
        if case .failure(let error) = status { error } else { nil }
    }
}
