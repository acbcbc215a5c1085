import CacheNodeCore
import Logging

/// What the control core reports, as lines for operators.
enum ControlReportLog {
    static func write(_ report: NodeControlReport, to logger: Logger) {
        switch report {
        case .connected(let log, let head):
            logger.info(
                "welcomed by the publisher", metadata: ["log": "\(log)", "head": "\(head)"])
        case .live: logger.info("live: at the head, with a lease")
        case .suspect:
            logger.warning("suspect: the lease is over, nothing is called fresh until it is back")
        case .calendarJumped(let jump):
            logger.info("the calendar jumped ahead of the clock by \(jump): the lease is renewed")
        case .lostPublisher(let silence):
            logger.warning("the publisher has been silent for \(silence)")
        case .lostLiveChannel(let silence):
            logger.warning("no heartbeat for \(silence): subscribing again")
        case .publisherLeads(let endpoint):
            logger.info("the publisher \(shown(endpoint)) leads now")
        case .publisherDoesNotLead(let endpoint, let leader):
            logger.info(
                "the publisher \(shown(endpoint)) does not lead",
                metadata: leader.isEmpty ? [:] : ["leader": "\(shown(leader))"])
        case .publisherUnusable(let endpoint, let reason):
            logger.warning(
                "the publisher \(shown(endpoint)) cannot be connected to",
                metadata: ["why": "\(reason)"])
        case .gap(let position, let missing):
            logger.info("\(missing) records missing after \(position): asking for a replay")
        case .replayed(let count): logger.info("\(count) records replayed")
        case .forgot(let cause, let position):
            logger.warning("everything filled before \(position) is hidden: \(cause)")
        case .floorsLearned(let position):
            logger.info("entries that nothing has touched since \(position) are shown again")
        case .floorsUnknown(let position):
            logger.warning("it is unknown what was touched since \(position)")
        case .forgottenByPublisher: logger.info("the publisher was started again: greeting it")
        case .draining: logger.info("draining: nothing new is taken")
        case .drained(isFinished: true): logger.info("drained: all requests under way are finished")
        case .drained(isFinished: false):
            logger.warning("drained: leaving although requests are still under way")
        case .diverged(let applied, let log):
            logger.warning("the publisher's log \(log) is not the one applied up to \(applied)")
        case .refused(let code, let message):
            logger.warning(
                "the publisher refused", metadata: ["code": "\(code)", "why": "\(message)"])
        case .newerForm(let position, let count):
            logger.error(
                """
                the log holds records of a newer form, applied as if everything had changed: \
                upgrade this node
                """, metadata: ["position": "\(position)", "records": "\(count)"])
        case .damagedFrame(let sentence):
            logger.debug("a frame was dropped", metadata: ["why": "\(sentence)"])
        }
    }

    /// An endpoint without the key at its end.
    private static func shown(_ text: String) -> Substring {
        text.firstRange(of: "?key=").map { text[..<$0.lowerBound] } ?? text[...]
    }
}
