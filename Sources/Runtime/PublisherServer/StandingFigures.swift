import CacheInvalidation
import CacheModel
import EtcdStorage
import SharedLogCore

extension EtcdKeeper.Standing {
    /// What a publisher on etcd knows of the leader, the other publishers and etcd, for STATUS.
    ///
    /// - Parameter publishers: all of the configuration, each as `NAME@ENDPOINT`.
    func figures(among publishers: [String], now: Instant) -> [LogFigure] {
        etcdFigures + leaderFigures(now: now) + publishers.map(figure) + members.flatMap(figures)
    }

    private var etcdFigures: [LogFigure] {
        let answering = members.count { $0.trouble == nil && $0.errors.isEmpty }
        let isTroubled = trouble != nil || members.contains { !$0.errors.isEmpty }
        return [
            LogFigure("etcd_members", UInt64(members.count)),
            LogFigure("etcd_members_answering", UInt64(answering)),
            LogFigure("etcd_bytes", members.map(\.databaseBytes).max() ?? 0),
            LogFigure("etcd_trouble", isTroubled ? 1 : 0),
            LogFigure("etcd_refusing", trouble == nil ? 0 : 1),
        ]
    }

    private func leaderFigures(now: Instant) -> [LogFigure] {
        guard let leader, let leaderSince else { return [] }
        return [
            LogFigure("term", leader.term.rawValue),
            LogFigure("term_ms", now.elapsed(since: leaderSince).wholeMilliseconds),
        ]
    }

    private func figure(_ publisher: String) -> LogFigure {
        // Names have no @.
        let name = publisher.prefix { $0 != "@" }
        return LogFigure(
            "publisher:" + publisher, leader.map { $0.publisher == name } == true ? 1 : 0)
    }

    private func figures(_ member: EtcdMember) -> [LogFigure] {
        [
            LogFigure(
                "etcd_member_condition:" + member.endpoint, UInt64(member.condition.rawValue)),
            LogFigure("etcd_member_leads:" + member.endpoint, member.isLeader ? 1 : 0),
            LogFigure("etcd_member_bytes:" + member.endpoint, member.databaseBytes),
        ]
    }
}
