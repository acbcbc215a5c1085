import CacheInvalidation
import CacheModel
import CacheWire
import EtcdStorage
import Logging
import PublisherCore
import SharedLogCore
import Threading
import ZeroMQ

/// The publisher's thread with a log on etcd: a standby, a term, a standby, and so on.
extension PublisherService {
    /// The thread's main function.
    static func serve(
        _ around: Surroundings, on etcd: EtcdPublisherOptions
    ) -> PublisherFailure? {
        let freshID = LogID(UInt64.random(in: 1...UInt64.max))
        let channels: PublisherChannels
        do throws(PublisherStartError) {
            channels = try around.bind()
        } catch {
            around.start.fulfil(.failure(error))
            return nil
        }
        let keeper: EtcdKeeper
        do throws(PublisherStartError) {
            keeper = try Self.keeper(around, etcd, freshID, at: channels.advertised)
        } catch {
            around.start.fulfil(.failure(error))
            return nil
        }
        defer { keeper.close() }
        around.start.fulfil(.success(channels.bound))
        do throws(PublisherFailure) {
            try serve(around, etcd, keeper, channels, freshID: freshID)
            return nil
        } catch {
            around.logger.critical("the publisher ends", metadata: ["reason": "\(error)"])
            return error
        }
    }

    private static func keeper(
        _ around: Surroundings, _ etcd: EtcdPublisherOptions, _ freshID: LogID,
        at place: PublisherEndpoints
    ) throws(PublisherStartError) -> EtcdKeeper {
        let setup = EtcdKeeper.Setup(
            own: Leadership.Endpoints(
                publisher: etcd.name, control: place.control.description,
                live: place.live.description),
            owner: PrefixOwner(members: etcd.members.map { ($0.name, $0.control) }),
            bounds: FollowedLog.Bounds(
                freshID: freshID, recordsMax: around.options.retentionRecordsMax,
                bytesMax: around.options.retentionBytesMax),
            stateDirectory: etcd.stateDirectory)
        do throws(EtcdStartError) {
            return try EtcdKeeper(etcd.client, prefix: etcd.prefix, setup) {
                [mailbox = around.mailbox] in mailbox.post(.shared($0))
            }
        } catch {
            throw .etcd(error)
        }
    }

    private static func serve(
        _ around: Surroundings, _ etcd: EtcdPublisherOptions, _ keeper: EtcdKeeper,
        _ bound: consuming PublisherChannels, freshID: LogID
    ) throws(PublisherFailure) {
        var channels = bound
        var options = around.options
        var leader = NotLeader()
        do {
            while true {
                var standby = StandbyLoop(channels, keeper, name: etcd.name, leader: leader)
                let ending = try standby.run(around.mailbox)
                options.plan = standby.plan ?? options.plan
                guard case .lead(let term) = ending else {
                    return try end(standby, ending, etcd)
                }
                // The version of the topology differs from those that other leaders reached.
                var loop = PublisherLoop(
                    options, standby.release(), PublisherLog(term, keeper, freshID: freshID),
                    topologyVersion: UInt32.random(in: 1...UInt32.max / 2))
                loop.begin(term, options.plan)
                let ended = try loop.run(around.mailbox)
                options.plan = loop.plan ?? options.plan
                channels = loop.release()
                guard case .handedOver(let next) = ended else {
                    let last = StandbyLoop(channels, keeper, name: etcd.name)
                    return try end(last, .stopped, etcd)
                }
                leader = next
            }
        } catch let error as PublisherFailure {
            throw error
        } catch let error as ZeroMQError {
            throw .sockets(error)
        } catch {
            preconditionFailure("nothing else is thrown: \(error)")
        }
    }

    private static func end(
        _ standby: consuming StandbyLoop, _ ending: StandbyLoop.Ending,
        _ etcd: EtcdPublisherOptions
    ) throws {
        if case .refused(let reason) = ending {
            throw PublisherFailure.prefix(
                "the prefix \(etcd.prefix) of etcd cannot be used: \(reason); name another prefix, "
                    + "or the same publishers in every configuration")
        }
        try standby.sayFarewell()
    }
}

extension PublisherLog<SharedLog> {
    /// - Parameter freshID: names the log if the store has none.
    init(_ term: SharedTerm, _ keeper: EtcdKeeper, freshID: LogID) {
        self.init(
            log: term.log, freshID: freshID, storage: .etcd(keeper, term.leader.term),
            pacings: term.state[.pacings], nodes: term.state[.runs],
            cluster: term.state[.identity], slots: term.state[.slots],
            freshCluster: ClusterID(UInt64.random(in: 1...UInt64.max)))
    }
}
