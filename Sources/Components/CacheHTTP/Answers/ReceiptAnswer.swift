import ByteCoding
package import CacheModel

/// The receipt of an invalidation, as it is answered.
package struct ReceiptAnswer: Hashable, Sendable {
    package struct Line: Hashable, Sendable {
        package var node: NodeID
        package var elapsed: Duration

        package init(_ node: NodeID, _ elapsed: Duration) {
            self.node = node
            self.elapsed = elapsed
        }
    }

    package var position: LogPosition
    /// Of which cluster that is; none where it is not known.
    package var cluster = ClusterID.none
    package var isComplete: Bool
    package var applied: [Line] = []
    package var expired: [Line] = []
    package var pending: [NodeID] = []

    package init(_ position: LogPosition, isComplete: Bool) {
        self.position = position
        self.isComplete = isComplete
    }

    /// 200 if what was waited for was reached, 202 if not: it stands in the log all the same.
    package func answer(to order: InvalidationOrder) -> Answer {
        var members: [JSONDocument.Member] = [("position", .text("\(position)"))]
        members += JSONDocument.members(of: cluster)
        members += [
            ("wait", .text(order.wait.rawValue)), ("complete", .bool(isComplete)),
            ("applied", .list(applied.map(Self.json))),
            ("expired", .list(expired.map(Self.json))),
            ("pending", .list(pending.map { .object([("node", .text($0.name))]) })),
        ]
        var answer = Answer(isComplete ? 200 : 202, json: .object(members))
        answer.fields.append("Cache-Control", "no-store")
        answer.fields.append("Martlet-Position", "\(ClusterPosition(position, of: cluster))")
        let groups = TagText.groups(order.tags)
        if !order.tags.isEmpty, groups.utf8.count <= ReadOrder.tagBytesMax {
            answer.fields.append("Cache-Group-Invalidation", groups)
        }
        return answer
    }

    private static func json(_ line: Line) -> JSONDocument {
        let microseconds = Double(line.elapsed.wholeNanoseconds / 1_000)
        return .object([("node", .text(line.node.name)), ("ms", .decimal(microseconds / 1_000))])
    }
}
