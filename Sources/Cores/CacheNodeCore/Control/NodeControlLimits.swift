import CacheInvalidation
import CacheModel

/// Bounds and waiting times of a node's control thread.
package enum NodeControlLimits {
    /// The lease until the publisher states one.
    package static let leaseDefault: Duration = .seconds(3)
    package static let leaseMin: Duration = .milliseconds(100)
    /// A longer lease is cut to this, to limit the wait for a node that is gone.
    package static let leaseMax = InvalidationLimits.leaseMax
    package static let pingsPerLease = 3
    /// With several publishers more often: when the leader is lost, nodes have more of their leases
    /// left, until another publisher grants one.
    package static let pingsPerLeaseOfSeveral = 6
    /// From this difference on the calendar clock was set, not only adjusted.
    package static let calendarJumpMin: Duration = .milliseconds(100)

    /// The heartbeat interval until the publisher states one.
    package static let heartbeatDefault: Duration = .milliseconds(500)
    package static let heartbeatMin: Duration = .milliseconds(50)
    package static let heartbeatMax: Duration = .seconds(10)
    /// Consecutive missed heartbeats after which the subscription is renewed.
    package static let heartbeatsMissedMax = 3
    package static let resubscribeWaitMax: Duration = .seconds(3)

    /// How long to wait for the first heartbeat before the first HELLO.
    package static let listenPatience: Duration = .milliseconds(500)
    package static let helloWaitMin: Duration = .milliseconds(250)
    package static let helloWaitMax: Duration = .seconds(1)
    /// Unanswered HELLOs after which the control connection is renewed.
    package static let hellosPerConnection = 4

    /// With several publishers: how many a node may be given.
    package static let publishersMax = 16
    /// Named leaders that are followed in a row, before the list is continued.
    package static let leaderNamesFollowedMax = 2
    /// HELLOs that may be sent at once, and the time for each further one: a cluster without a
    /// leader costs each node at most ten requests a second in the long run.
    package static let hellosAtOnceMax = 3
    package static let helloSpacing: Duration = .milliseconds(100)
    /// The pause after a publisher that knows no leader; reduced by up to a quarter at random.
    package static let leaderlessPause: Duration = .milliseconds(125)
    /// Missed heartbeats, with silence on the control channel too, after which a PING asks for an
    /// answer before the publisher is left.
    package static let heartbeatsMissedBeforePing = 2
    /// Publishers reported as not leading between two WELCOMEs.
    package static let publishersReportedMax = 16

    /// Minimum time between two acknowledgements of records that no caller waits for.
    package static let ackSpacing: Duration = .milliseconds(10)
    /// How long the same replay is not requested again, despite heartbeats.
    package static let replayPatience: Duration = .milliseconds(200)
    /// How long to wait for an answer about the head.
    package static let headPatience: Duration = .milliseconds(200)
    /// How long in total a node requests floors, and when it considers one request lost.
    package static let floorsPatience: Duration = .seconds(30)
    package static let floorsRetry: Duration = .milliseconds(500)
    /// How long an unanswered CONFIG or TOPOLOGY is not requested again.
    package static let fetchPatience: Duration = .seconds(1)
    /// Minimum time between two requests for the topology. Every node hears of a change at once,
    /// and each change of a large cluster would have the publisher send each node the whole table.
    package static func topologySpacing(nodeCount: Int) -> Duration {
        nodeCount > 64 ? .milliseconds(2 * min(nodeCount, 1_000)) : .zero
    }

    /// Minimum time between two reports of records that cannot be read.
    package static let newerFormReportSpacing: Duration = .seconds(60)

    package static let publishesInFlightMax = 4_096
    package static let publishBytesInFlightMax = 16 << 20
    package static let publishTimeout: Duration = .seconds(2)
    /// Of several publishers another one leads two to three seconds after one has died.
    package static let publishTimeoutOfSeveral: Duration = .seconds(5)
    /// To the only publisher: once, and once again after it is back. Of several, each that welcomes
    /// the node in time gets it.
    package static let publishSendsMax = 2

    /// Maximum time for a node that was ordered to leave to finish accepted work.
    package static let drainPatience: Duration = .seconds(15)
    /// How long it stays once no work is under way, so that the last answers are sent.
    package static let drainPause: Duration = .milliseconds(100)
    /// The same where others have the node's slots by then: clients that still ask it are told to
    /// ask elsewhere.
    package static let drainPauseBySlots: Duration = .seconds(3)

    /// The relations that must hold. Called by the tests.
    package static func check() {
        precondition(leaseMin <= leaseDefault && leaseDefault <= leaseMax, "leases are ordered")
        precondition(
            heartbeatMin <= heartbeatDefault && heartbeatDefault <= heartbeatMax,
            "heartbeats are ordered")
        precondition(
            heartbeatDefault * heartbeatsMissedMax <= leaseDefault,
            "a lost live channel is noticed within a lease")
        precondition(
            heartbeatsMissedBeforePing < heartbeatsMissedMax,
            "a publisher has time to answer before it is left")
        precondition(
            leaderlessPause * 3 / 4 < helloWaitMin && helloSpacing <= leaderlessPause,
            "a publisher that answers is left sooner than a silent one")
        precondition(
            headPatience < leaseDefault && floorsRetry < floorsPatience,
            "what is lost is asked for again while it is still of use")
        precondition(
            replayPatience < heartbeatDefault, "a heartbeat finds the last question old enough")
        precondition(
            publishTimeout <= publishTimeoutOfSeveral
                && publishTimeoutOfSeveral + drainPauseBySlots < drainPatience,
            "a node that leaves has the time to answer what it publishes")
        precondition(
            publishBytesInFlightMax >= 4 * InvalidationRecord.bytesMax,
            "several of the longest publishes fit")
    }
}
