import CacheAccess
import CacheInvalidation
package import CacheModel
import CacheWire

/// The topology of the cluster, its configuration and its access table.
extension PublishingCore {
    /// The configuration was loaded anew.
    package mutating func configurationChanged(to plan: PublisherPlan, now: Instant) {
        change(to: ownership.slots == nil ? plan : plan.keeping(self.plan), now: now)
    }

    mutating func change(to plan: PublisherPlan, now: Instant) {
        let isTopologyNew = plan.nodes != self.plan.nodes || plan.kind != self.plan.kind
        self.plan = plan
        ownership.configured(plan)
        nodes.grants.register(plan.nodes.map(\.id))
        topology.configure(plan)
        if isTopologyNew { topology.advance() }
        heartbeat.requestNow(now)
    }

    mutating func answerTopology(_ message: IncomingMessage) throws(WireRefusal) {
        try message.view.expectEmpty()
        let requester = message.requester
        if let why = whyTopologyIsUntold { return output.refuse(requester, .busy, why) }
        let isBySlots = ownership.slots != nil
        var report = topology.report(plan, isBySlots: isBySlots) { [grants = nodes.grants] in
            grants.state(of: $0, at: message.now)
        }
        report.cluster = history.identity.id
        let note = ownership.state(in: &report, asOf: log.head.position)
        output.reply(to: requester) {
            report.encode(requestID: requester.requestID, note: note, into: &$0)
        }
    }

    /// Why the topology is not sent yet; `nil`: it is.
    private var whyTopologyIsUntold: String? {
        // A node would wait for the members of an epoch that may be lost again.
        if log.hasHistory, !log.isBegun { return log.whyNotStanding }
        return ownership.whyUntold
    }

    mutating func answerConfiguration(_ message: IncomingMessage) throws(WireRefusal) {
        try message.view.expectEmpty()
        let (report, requester) = (plan.configuration, message.requester)
        output.reply(to: requester) { report.encode(requestID: requester.requestID, into: &$0) }
    }
}
