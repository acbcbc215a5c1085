import ByteCoding
import CacheConfiguration
import CacheHTTP
import CacheModel
import CommandSurface
import MartletClient

/// What became of an invalidation that takes its time, for people and scripts.
struct PacedReport {
    var order: InvalidationRequest
    var pacing: PacedInvalidation
    /// Of its last slice; `nil` if it was not waited for, or the pacing was cancelled.
    var receipt: InvalidationReceipt?
    /// Of which cluster positions are; none where that is not known.
    var cluster = ClusterID.none

    func output(_ style: OutputStyle) -> CommandOutput {
        var output: CommandOutput
        if let receipt {
            output = InvalidationReport(
                order: order, receipt: receipt, pacing: pacing, cluster: cluster
            ).output(style)
        } else {
            output = CommandOutput(style, json: json) { $0.writeLine(sentence) }
        }
        if pacing.state == .cancelled {
            output.complain(
                "not complete: pacing \(pacing.id) was cancelled; what it had hidden stays hidden",
                .incomplete)
        }
        return output
    }

    private var sentence: String {
        switch pacing.state {
        case .running, .over:
            let end = pacing.isDurable ? "" : ", and forgets if it ends: its log is in memory"
            return "pacing \(pacing.id) hides \(pacing.summary) over "
                + "\(DurationText.format(pacing.span)), in \(pacing.sliceCount) parts; the "
                + "publisher continues by itself\(end) · martlet pacing shows how far it is"
        case .cancelled:
            return "pacing \(pacing.id) had hidden \(FigureText.ratio(pacing.share)) of the keys "
                + "when it was cancelled"
        }
    }

    private var json: JSONDocument {
        let place: [JSONDocument.Member] = [
            ("position", .optional(pacing.last, JSONDocument.position))
        ]
        let members: [JSONDocument.Member] = [
            ("scopes", .list(order.scopes.map(JSONDocument.scope))),
            ("wait", .text(order.wait.rawValue)),
            ("complete", .bool(order.wait == .none && pacing.state != .cancelled)),
            ("applied", .list([])), ("expired", .list([])), ("pending", .list([])),
            ("pacing", .pacing(pacing)),
        ]
        let named = pacing.last == nil ? ClusterID.none : cluster
        return .object(place + JSONDocument.members(of: named) + members)
    }

    // MARK: Failures

    static func forgotten(_ latest: PacedInvalidation) -> CommandFailure {
        let why =
            latest.isDurable
            ? "so many have ended since, or its directory is another"
            : "its log is in memory and it was started again"
        return CommandFailure(
            .incomplete,
            "the publisher does not know pacing \(latest.id) any more: \(why). "
                + "\(FigureText.ratio(latest.share)) of the keys were hidden when it was last "
                + "seen; invalidate again what is left")
    }

    static var unwatched: CommandFailure {
        CommandFailure(
            .incomplete,
            "not watched any more; the publisher continues to hide: martlet pacing shows how far "
                + "it is, martlet pacing cancel stops it")
    }

    static func lost(_ latest: PacedInvalidation) -> CommandFailure {
        let fate =
            latest.isDurable
            ? "it continues once the publisher is back, martlet pacing shows it then"
            : "the publisher's log is in memory, so if it ended, what was left was not invalidated"
        return CommandFailure(
            .unreachable,
            "the publisher does not answer any more; \(FigureText.ratio(latest.share)) of the "
                + "keys were hidden when it last did; \(fate)")
    }
}
