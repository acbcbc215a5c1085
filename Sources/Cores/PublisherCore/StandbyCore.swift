package import CacheAccess
import CacheInvalidation
package import CacheModel
package import CacheWire

/// The core of a publisher that does not lead: it names the leader, and reports its own state.
///
///     STATUS ─▶ STATUS REPORT      ACK, BYE, ERROR ─▶ nothing      all else ─▶ NOT LEADER
///
/// It never traps, whatever the bytes are, and holds no request.
package struct StandbyCore: ~Copyable {
    private var admission = PublisherAdmission()
    private var output = PublisherOutput()
    /// The endpoints of the leader, as far as they are known.
    package var leader = NotLeader()

    package init() {}

    package var statistics: PublisherStatistics { output.statistics }

    package mutating func setAccess(_ table: AccessTable) { admission.setAccess(table) }

    /// One frame came in on the control channel. It is only accessed during the call.
    ///
    /// - Parameter status: the report of this publisher; read for STATUS only.
    package mutating func received(
        _ frame: UnsafeRawBufferPointer, from sender: RequestSender, now: Instant,
        status: () -> StatusReport, into actions: inout [PublisherAction]
    ) {
        swap(&actions, &output.actions)
        defer { swap(&actions, &output.actions) }
        output.statistics.messages += 1
        let requester = Requester(
            peer: sender.peer, requestID: MessageHeader.requestID(ofDamaged: frame),
            principal: sender.principal)
        do throws(WireRefusal) {
            let view = try MessageView(decoding: frame)
            try admission.authoriseAtStandby(view, by: sender.principal)
            switch view.type {
            case .ack, .bye, .error: output.statistics.refused += 1
            case .status:
                try view.expectEmpty()
                let report = status()
                output.reply(to: requester) {
                    report.encode(requestID: view.requestID, into: &$0)
                }
            default:
                let answer = leader
                output.reply(to: requester) {
                    answer.encode(requestID: view.requestID, into: &$0)
                }
            }
        } catch {
            guard admission.mayRefuse(sender.principal, now: now) else { return }
            output.refuse(requester, error.code, error.sentence)
        }
    }

    /// A message came that cannot be answered.
    package mutating func passedOver() {
        output.statistics.messages += 1
        output.statistics.refused += 1
    }
}
