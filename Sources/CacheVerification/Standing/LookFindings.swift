import CacheModel

/// What nodes answered at one look, held against the invalidation.
struct LookFindings: Sendable {
    struct Found: Sendable {
        /// `nil` if none came.
        let answer: NodeAnswer?
        let finding: AnswerFinding
        /// When the question left.
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

    /// By the names of the nodes.
    var inOrder: [(key: NodeID, value: Found)] { found.sorted { $0.key < $1.key } }

    /// Whether a second look right after may say something else.
    var isDoubtful: Bool {
        isDiffering || found.values.contains { $0.finding.isWorthASecondLook }
    }

    /// What counts once nodes were asked again: what was certain at first stays, or a node would
    /// look better for being asked twice; what was doubted is as the second look says. An answer
    /// that nothing allows counts at whichever look it was seen.
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
