import CacheModel

/// The nodes' answers at one look, judged with respect to the invalidation.
struct LookFindings: Sendable {
    struct Found: Sendable {
        /// `nil` if none came.
        let answer: NodeAnswer?
        let finding: AnswerFinding
        /// When the request was sent.
        let askedAt: Instant
    }

    private var found: [NodeID: Found]
    /// Whether two nodes show different versions, both as fresh.
    private(set) var isDiffering: Bool

    init(
        _ answers: [NodeID: NodeAnswer?], askedAt: Instant,
        judge: (NodeAnswer?) -> AnswerFinding
    ) {
        found = answers.mapValues {
            Found(answer: $0, finding: judge($0), askedAt: askedAt)
        }
        let versions = answers.values.compactMap(\.self)
            .filter { $0.isFresh && $0.isInCharge }.compactMap(\.entry?.version)
        isDiffering = Set(versions.filter { $0 != .none }).count > 1
    }

    /// Sorted by the names of the nodes.
    var inOrder: [(key: NodeID, value: Found)] { found.sorted { $0.key < $1.key } }

    /// Whether a second look right after it may have another result.
    var isDoubtful: Bool {
        isDiffering || found.values.contains { $0.finding.isWorthASecondLook }
    }

    /// The result after a second look. Findings that were certain at first stay: otherwise a second
    /// request would make a node look better. Doubtful findings are replaced by those of the second
    /// look. A certainly wrong answer counts at either look.
    func settled(by second: LookFindings) -> LookFindings {
        var settled = second
        for (node, first) in found where !first.finding.isWorthASecondLook {
            let isWorse = second.found[node]?.finding.isCertainlyWrong ?? false
            if first.finding.isCertainlyWrong || !isWorse { settled.found[node] = first }
        }
        settled.isDiffering = isDiffering && second.isDiffering
        return settled
    }
}
