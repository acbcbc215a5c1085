package import ByteCoding
package import CacheModel

/// What is answered: a status, fields and a body.
package struct Answer: Hashable, Sendable {
    package var status: Int
    package var fields: FieldList
    package var body: [UInt8]
    /// Of an answer without its body, as HEAD wants it; `nil`: that of ``body``.
    package var contentLength: Int?

    package init(_ status: Int, _ fields: FieldList = FieldList(), body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// JSON, of this moment.
    package init(
        _ status: Int, json: JSONDocument, contentType: String = "application/json"
    ) {
        self.init(
            status, FieldList(["Content-Type": contentType, "Cache-Control": "no-store"]),
            body: Array(json.line.utf8))
    }

    /// What Content-Length says; `nil` where it says nothing: 204 has no content, and of a 304 it
    /// would be taken for the length of the value (RFC 9110, 8.6).
    package var statedLength: Int? {
        status == 204 || status == 304 ? nil : contentLength ?? body.count
    }

    /// The same for a HEAD: everything but the body.
    package var withoutBody: Answer {
        var answer = self
        answer.contentLength = contentLength ?? body.count
        answer.body = []
        return answer
    }
}

extension JSONDocument {
    /// The member that says of which cluster the positions beside it are; none where that is not
    /// known.
    package static func members(of cluster: ClusterID) -> [Member] {
        cluster == .none ? [] : [("cluster", .text(cluster.description))]
    }

    /// Bytes as text, or `NAME_base64` where they are none.
    package static func members(_ name: String, _ bytes: [UInt8]) -> [Member] {
        if let text = String(validating: bytes, as: UTF8.self) { return [(name, .text(text))] }
        return [(name + "_base64", .text(Base64Text.text(of: bytes)))]
    }

    /// What is said of a value's bytes; nothing where nothing is.
    package static func members(of representation: Representation) -> [Member] {
        [
            ("content_type", representation.contentType),
            ("content_encoding", representation.contentEncoding),
            ("content_language", representation.contentLanguage),
        ].compactMap { name, field in field.map { (name, .text($0.text)) } }
    }
}

/// The receipt of an invalidation, as it is answered.
package struct ReceiptAnswer: Sendable {
    package typealias Line = (node: NodeID, elapsed: Duration)

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
