import CacheInvalidation
import CacheModel
import CacheWire
import EtcdStorage
import Logging
import PublisherCore
import SharedLogCore
import TestSupport
import Testing
import Threading
import ZeroMQ

@testable import PublisherServer

/// Letters about terms that the publisher's thread finds together: it was busy, or stopped, while
/// the thread of etcd went on.
@Suite(.enabled(if: EtcdServer.isInstalled, "apt install etcd-server etcd-client"))
struct TermLettersTests {
    /// A publisher that leads on a real etcd, and its thread's two states.
    private struct Bench {
        let keeper: EtcdKeeper
        let term: SharedTerm
        let mailbox: Mailbox<PublisherLetter>
        let options: PublisherOptions
        private let context: Context
        private let directory: TemporaryDirectory
        private let server: EtcdServer

        init() async throws {
            let server = try await EtcdServer()
            let directory = try TemporaryDirectory("letters")
            let news = BlockingQueue<SharedLogKeeper.News>()
            let setup = EtcdKeeper.Setup(
                own: .init(publisher: "p1", control: "tcp://p1:1", live: "tcp://p1:2"),
                owner: PrefixOwner(members: [("p1", "tcp://p1:1"), ("p2", "tcp://p2:1")]),
                bounds: .init(freshID: LogID(7), recordsMax: 1_000, bytesMax: 1 << 20),
                stateDirectory: directory.path)
            keeper = try EtcdKeeper(
                EtcdOptions(endpoints: [server.endpoint]), prefix: "/martlet/test/", setup
            ) { news.put($0) }
            var begun: SharedTerm?
            while begun == nil { if case .lead(let term) = news.next() { begun = term } }
            term = try #require(begun)
            mailbox = try Mailbox()
            var options = PublisherOptions(
                control: try Endpoint("tcp://127.0.0.1:0"), plan: PublisherPlan(nodes: []))
            options.live = try Endpoint("tcp://127.0.0.1:0")
            (self.options, self.server, self.directory) = (options, server, directory)
            context = try Context()
        }

        func channels() throws -> PublisherChannels {
            try PublisherChannels(
                options, in: context,
                (Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, nil, nil))
        }

        func standby() throws -> StandbyLoop {
            StandbyLoop(try channels(), keeper, name: "p1")
        }

        func leader() throws -> PublisherLoop<SharedLog> {
            PublisherLoop(
                options, try channels(), PublisherLog(term, keeper, freshID: LogID(8)),
                topologyVersion: 1)
        }
    }

    @Test func aTermThatIsOverBeforeItsCoreBeginsEndsAtOnce() async throws {
        let bench = try await Bench()
        defer { bench.keeper.close() }
        bench.mailbox.post(.shared(.lead(bench.term)))
        bench.mailbox.post(.shared(.end(.superseded(by: nil))))
        var standby = try bench.standby()
        guard case .lead = try standby.run(bench.mailbox) else {
            Issue.record("the term begins")
            return
        }
        var leader = try bench.leader()
        #expect(try leader.run(bench.mailbox) == .handedOver(to: NotLeader()))
        #expect(bench.mailbox.takeAll().isEmpty)
    }

    @Test func aTermThatBeginsRightAfterTheOneBeforeBegins() async throws {
        let bench = try await Bench()
        defer { bench.keeper.close() }
        bench.mailbox.post(.shared(.end(.superseded(by: nil))))
        bench.mailbox.post(.shared(.lead(bench.term)))
        var leader = try bench.leader()
        #expect(try leader.run(bench.mailbox) == .handedOver(to: NotLeader()))
        var standby = try bench.standby()
        guard case .lead(let term) = try standby.run(bench.mailbox) else {
            Issue.record("the next term begins")
            return
        }
        #expect(term.leader == bench.term.leader)
    }

    @Test func aStopThatComesWithATermStopsIt() async throws {
        let bench = try await Bench()
        defer { bench.keeper.close() }
        bench.mailbox.post(.shared(.lead(bench.term)))
        bench.mailbox.post(.stop)
        bench.mailbox.post(.shared(.resigned))
        var standby = try bench.standby()
        guard case .lead = try standby.run(bench.mailbox) else {
            Issue.record("the term begins")
            return
        }
        var leader = try bench.leader()
        #expect(try leader.run(bench.mailbox) == .stopped)
    }
}
