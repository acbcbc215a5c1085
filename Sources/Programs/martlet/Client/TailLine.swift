import ByteCoding
import CacheHTTP
import CacheModel
import CommandSurface
import MartletClient

struct TailLine: Hashable {
    /// What is known of the nodes that have applied a record.
    enum Receipt: Hashable {
        case unwanted
        case asked
        case told(InvalidationReceipt)
        /// It was not asked for, or not told.
        case unknown
    }

    let event: InvalidationStream.Event
    var receipt: Receipt
    /// Of which cluster its position is; none where that is not known.
    let cluster: ClusterID
    /// When it was heard; `nil` where that is not to be said.
    let moment: TailMoment?

    init(
        _ event: InvalidationStream.Event, receipt: Receipt = .unwanted,
        of cluster: ClusterID = .none, at moment: TailMoment? = nil
    ) {
        self.moment = moment
        self.event = event
        self.receipt = receipt
        self.cluster = cluster
    }

    /// Where a record stands; `nil` for what is not one.
    var position: LogPosition? {
        if case .record(let record) = event { record.position } else { nil }
    }

    /// Empty for what is not worth a line.
    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput()
        switch event {
        case .record(let record):
            if style == .json {
                output.writeLine(json(record))
            } else {
                output.writeLine((moment.map { "\($0.clock)  " } ?? "") + text(record))
            }
        case .lost(let start, let end):
            if style == .json {
                output.writeLine(
                    .object(
                        [
                            ("event", .text("lost")), ("after", .position(start)),
                            ("continuing_after", .position(end)),
                        ] + JSONDocument.members(of: cluster) + stamp))
            }
            output.complain(Self.loss(start, end))
        case .heartbeat: break
        }
        return output
    }

    /// Scopes that a line for people names; the rest is counted.
    private static let scopesShownMax = 8

    private func text(_ record: InvalidationRecord) -> String {
        let position = ClusterPosition(record.position, of: cluster).description
        let gap = String(repeating: " ", count: max(0, 10 - position.count))
        if record.isOfNewerForm {
            return "\(position)\(gap)  a record of a newer form, perhaps about everything; upgrade "
                + "this program to read it"
        }
        let strength = record.strength == .hard ? "hard" : "soft"
        var scopes = record.scopes.prefix(Self.scopesShownMax).map(Self.text)
        if record.scopes.count > Self.scopesShownMax {
            scopes.append("and \(record.scopes.count - Self.scopesShownMax) more")
        }
        let line = "\(position)\(gap)  \(strength)  \(scopes.joined(separator: ", "))"
        switch receipt {
        case .unwanted: return line
        case .asked, .unknown: return line + "  · …"
        case .told(let receipt):
            let issuer = receipt.issuer.map { HarmlessText.line($0.name) } ?? FigureText.none
            return line + "  · \(issuer) · \(ReceiptText.short(receipt))"
        }
    }

    private static func text(_ scope: Scope) -> String {
        var text = scope.line
        if let version = scope.minimumVersion { text += " below version \(version)" }
        if let range = scope.hashRange {
            let ends = [range.lowerBound, range.upperBound].map { Double($0) * 0x1p-64 }
            let part = ends.map { FigureText.ratio($0) }.joined(separator: "–")
            text += " (\(part) of the keys)"
        }
        return text
    }

    private static func loss(_ start: LogPosition, _ end: LogPosition) -> String {
        if start == end {
            return "history is gone: the log is another one, which ends at \(end), too; going on "
                + "after that"
        }
        if start.epoch == end.epoch, start > end {
            return "\(start) is beyond the log, which ends at \(end); going on after that"
        }
        if start.epoch == end.epoch {
            return "history is gone: the publisher no longer has what came after \(start) up to "
                + "\(end); going on after that"
        }
        return "history is gone: \(start) is of another log than the publisher's; going on after "
            + "\(end)"
    }

    private var stamp: [JSONDocument.Member] {
        moment.map { [("at", .text($0.stamp))] } ?? []
    }

    private func json(_ record: InvalidationRecord) -> JSONDocument {
        var told: InvalidationReceipt?
        if case .told(let receipt) = receipt { told = receipt }
        let members: [JSONDocument.Member] = [
            ("strength", .text(record.strength == .hard ? "hard" : "soft")),
            ("scopes", .list(record.scopes.map(JSONDocument.scope))),
            ("operation", .operation(record.operation)),
            ("issuer", .optional(told?.issuer) { .text($0.name) }),
            ("applied", .optional(told?.applied) { .list($0.map(JSONDocument.receiptLine)) }),
            ("expired", .optional(told?.expired) { .list($0.map(JSONDocument.receiptLine)) }),
            (
                "pending",
                .optional(told?.pending) { .list($0.map { .object([("node", .node($0))]) }) }
            ),
        ]
        return .object(
            [("event", .text("record"))] + JSONDocument.place(record.position, of: cluster)
                + members + stamp
                + (record.isOfNewerForm ? [("newer_form", .bool(true))] : []))
    }
}

/// A receipt in a few words: `3/3 nodes 1.2 ms`, `2/3 nodes 1.2 ms, pending n3`.
enum ReceiptText {
    static func short(_ receipt: InvalidationReceipt) -> String {
        let count = receipt.applied.count + receipt.expired.count + receipt.pending.count
        var text = "\(receipt.applied.count)/\(FigureText.count(count, "node"))"
        // Zero: a node had applied it before the receipt was asked for, at an unknown time.
        if let slowest = receipt.applied.map(\.elapsed).max(),
            receipt.applied.allSatisfy({ $0.elapsed > .zero })
        {
            let tenths = (slowest.wholeNanoseconds + 50_000) / 100_000
            text += " \(tenths / 10).\(tenths % 10) ms"
        }
        text += names(receipt.expired.map(\.node), "expired")
        text += names(receipt.pending, "pending")
        return text
    }

    private static func names(_ nodes: [NodeID], _ word: String) -> String {
        guard let first = nodes.first else { return "" }
        let others = nodes.count - 1
        let rest =
            nodes.count > 3
            ? " and \(others) more"
            : nodes.dropFirst().reduce("") {
                $0 + " " + $1.name
            }
        return ", \(word) \(first)\(rest)"
    }
}
