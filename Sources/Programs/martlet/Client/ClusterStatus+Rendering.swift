import ByteCoding
import CacheModel
import CommandSurface
import ConsoleCore
import MartletClient

extension ClusterStatus {
    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput(style, json: json) { output in
            output.write(table.text(isColoured: style.isColoured))
            writePublishers(style, into: &output)
            reasons.forEach { output.writeLine($0) }
            moves.forEach { output.writeLine($0) }
            publisherTroubles.forEach { output.writeLine("publisher: \($0)") }
            for node in nodes {
                node.troubles.forEach { output.writeLine("\(node.node): \($0)") }
            }
            nodes.compactMap(Self.missingDisk).forEach { output.writeLine($0) }
            for node in nodes {
                if let pending = pending(of: node) { output.writeLine("\(node.node) \(pending)") }
            }
            pacings.forEach { output.writeLine($0.progress) }
        }
        if case .failure(let error) = publisher {
            Self.complain(of: "the publisher (\(topology.controlEndpoint))", error, in: &output)
        }
        complainOfPublishers(in: &output)
        for node in nodes {
            guard let error = node.failure else { continue }
            Self.complain(
                of: "node \(node.node)\(place(of: node.node))", error,
                lastWord: lastWord(node), in: &output)
        }
        for node in nodes { warnOfNewerForms(node, in: &output) }
        return output
    }

    static func complain(
        of whom: String, _ error: CacheError, lastWord: String = "", in output: inout CommandOutput
    ) {
        let sentence = error.sentence(endpoints: [])
        if error.isDenial {
            output.complain("\(whom) does not tell: \(sentence)", .refused)
        } else {
            output.complain("\(whom) does not answer: \(sentence)\(lastWord)", .incomplete)
        }
    }

    private func place(of node: NodeID) -> String {
        let endpoints = topology.nodes.first { $0.id == node }?.endpoints ?? []
        let known = endpoints.filter { !$0.isEmpty }
        return known.isEmpty ? "" : " (\(known.joined(separator: ", ")))"
    }

    /// It said goodbye, was forgotten, or never came: the publisher cannot tell them apart.
    private static let absence = "; the publisher knows no run of it: it left, or never came"

    private func lastWord(_ node: NodeStatus) -> String {
        guard let line = node.line else { return "" }
        guard line.incarnation != .none else { return Self.absence + keptSlots(line) }
        let grant =
            line.grantLeft.map {
                "invalidations wait for it for \(FigureText.timeLeft($0)) more"
            } ?? "no invalidation waits for it"
        return "; the publisher heard of it as \(line.state) at \(line.applied), and \(grant)"
            + keptSlots(line)
    }

    /// Where nothing fails over by itself, such as with two nodes, a command does it.
    private func keptSlots(_ line: StatusSnapshot.NodeLine) -> String {
        guard line.grantLeft == nil, let count = slotCount(of: line.node), count > 0 else {
            return ""
        }
        return "; it still owns \(count) slots: to give them to the other nodes now, run martlet "
            + "forget \(line.node)"
    }

    private func warnOfNewerForms(_ node: NodeStatus, in output: inout CommandOutput) {
        guard let count = node.sum("newer_records"), count > 0 else { return }
        output.complain(
            "node \(node.node) cannot read records of the log that a later release wrote, and "
                + "withholds everything filled before each; upgrade it")
    }

    /// Says of every node that is not LIVE and filled why the next one should not be restarted.
    func complainOfUnfilled(after patience: Duration, in output: inout CommandOutput) {
        for node in nodes where !isFilled(node) {
            if let unfilled = node.unfilled {
                output.complain("node \(node.node) \(unfilled)", .incomplete)
                continue
            }
            let reason = pending(of: node) ?? node.state.map { "is \($0)" } ?? "does not answer"
            output.complain(
                "after \(FigureText.timeLeft(patience)), node \(node.node) \(reason)", .incomplete)
        }
        if slotsWaiting ?? 0 > 0 {
            output.complain(
                "after \(FigureText.timeLeft(patience)), slots are on the move", .incomplete)
        }
    }

    // MARK: For people

    private var reasons: [String] {
        let publisher = publisherReason.map { ["publisher is SYNCING: \($0)"] } ?? []
        return publisher + nodes.compactMap { NodeReason($0)?.line }
    }

    var publisherTroubles: [String] {
        RoleTrouble.ofPublisher(publisherSnapshot?.figures ?? [:])
    }

    private var publisherReason: String? {
        guard let snapshot = publisherSnapshot, snapshot.state != .live else { return nil }
        let unheard = snapshot.nodes.filter { $0.incarnation == .none }.map(\.node.name)
        let unheardText =
            unheard.isEmpty
            ? "" : "; it has yet to hear \(unheard.joined(separator: ", ")), for a lease at most"
        return "it was started without its log and asks its nodes for its position\(unheardText)"
    }

    private var table: Table {
        var columns: [Table.Column] = [
            .left("node"), .left("state"), .right("applied"), .right("lag"), .right("lease"),
            .right("entries"), .right("hits"), .right("memory"),
        ]
        // Only where a node is to have a disk tier, and where the log assigns slots.
        let hasDisks = nodes.contains { $0.sum("disk_open") != nil }
        if hasDisks { columns.append(.right("on disk")) }
        let hasSlots = slotsWaiting != nil
        if hasSlots { columns.append(.right("slots")) }
        var table = Table(columns)
        table.add(
            publisherRow + columns.dropFirst(publisherRow.count).map { _ in .init(FigureText.none) }
        )
        for node in nodes {
            table.add(
                row(node) + (hasDisks ? [Self.figure(node.sum("disk_entries"))] : [])
                    + (hasSlots ? [Self.figure(slotCount(of: node.node))] : []))
        }
        return table
    }

    private static func missingDisk(_ node: NodeStatus) -> String? {
        if let left = node.sum("disk_segments_to_read"), left > 0 {
            return "\(node.node) is reading its disk tier and answers nothing before it has: "
                + "\(left) segments are left"
        }
        let found = node.shards.compactMap { $0.figures["disk_open"] }
        let missing = found.count { $0 == 0 }
        guard missing > 0 else { return nil }
        let subject = found.count == 1 ? "it" : "\(missing) of its \(found.count) shards"
        return "\(node.node) has no disk tier: \(subject) cannot use its file and "
            + "\(missing == 1 ? "answers" : "answer") from memory; the node's log says why"
    }

    private var publisherRow: [Table.Cell] {
        let nothing = Table.Cell(FigureText.none)
        guard let snapshot = publisherSnapshot else {
            return [.init("publisher"), Self.silent(publisherFailure)]
                + Array(repeating: nothing, count: 6)
        }
        return [
            "publisher", Self.state(snapshot.state), .init(snapshot.position.description), nothing,
            nothing, nothing, nothing, nothing,
        ]
    }

    private func row(_ node: NodeStatus) -> [Table.Cell] {
        let lag = node.lag(behind: head)
        return [
            .init(node.node.name),
            node.state.map(Self.state) ?? Self.silent(node.failure),
            .init(node.applied?.description ?? FigureText.none),
            .init(lag.map(String.init) ?? FigureText.none, (lag ?? 0) > 0 ? .warning : .plain),
            .init(node.leaseLeft.map(FigureText.timeLeft) ?? FigureText.none),
            Self.figure(node.sum("entries")), .init(FigureText.ratio(node.hitRatio)),
            .init(Self.memory(node)),
        ]
    }

    /// The state of a node without figures. One that answers with a denial is reachable.
    static func silent(_ failure: CacheError?) -> Table.Cell {
        failure?.isDenial == true
            ? Table.Cell("DENIED", .warning) : Table.Cell("UNREACHABLE", .bad)
    }

    static func state(_ state: NodeState) -> Table.Cell {
        Table.Cell(state.description, state == .live ? .good : .warning)
    }

    private static func figure(_ value: UInt64?) -> Table.Cell {
        Table.Cell(value.map(String.init) ?? FigureText.none)
    }

    private static func memory(_ node: NodeStatus) -> String {
        guard let used = node.sum("memory_bytes"), let most = node.sum("memory_bytes_max") else {
            return FigureText.none
        }
        return "\(FigureText.size(used))/\(FigureText.size(most))"
    }

    // MARK: For scripts

    private var json: JSONDocument {
        let members: [JSONDocument.Member] = [
            ("topology", .text(topology.kind.rawValue)),
            ("topology_version", .unsigned(UInt64(topology.version))),
            ("cluster", topology.cluster == .none ? .null : .text("\(topology.cluster)")),
            ("head", .optional(head, JSONDocument.position)),
            ("publisher", publisherJSON),
            ("nodes", .list(nodes.map(json))),
            ("pacings", .list(pacings.map(JSONDocument.pacing))),
        ]
        return .object(members + (publishers?.documents ?? []))
    }

    private var publisherJSON: JSONDocument {
        let snapshot = publisherSnapshot
        let figures = (snapshot?.figures ?? [:]).sorted { $0.key < $1.key }
        return .object([
            ("endpoint", .text(topology.controlEndpoint)),
            ("reachable", .bool(publisherFailure?.isDenial ?? true)),
            ("state", .optional(snapshot?.state) { .text($0.description) }),
            ("reason", .optional(publisherReason) { .text($0) }),
            ("troubles", .list(publisherTroubles.map(JSONDocument.text))),
            ("messages", .optional(snapshot?.figures["messages"], JSONDocument.unsigned)),
            ("figures", .object(figures.map { ($0.key, .unsigned($0.value)) })),
        ])
    }

    private func reason(of node: NodeStatus) -> String? {
        node.failure.map { $0.sentence(endpoints: []) + lastWord(node) }
            ?? NodeReason(node)?.sentence
    }

    private func json(_ node: NodeStatus) -> JSONDocument {
        let endpoints = topology.nodes.first { $0.id == node.node }?.endpoints ?? []
        return .object([
            ("node", .node(node.node)),
            ("endpoints", .list(endpoints.map(JSONDocument.text))),
            ("reachable", .bool(node.failure?.isDenial ?? true)),
            ("state", .optional(node.state) { .text($0.description) }),
            ("reason", .optional(reason(of: node)) { .text($0) }),
            ("troubles", .list(node.troubles.map(JSONDocument.text))),
            ("filling", .optional(node.state) { _ in .bool(pending(of: node) != nil) }),
            ("state_ms", .optional(NodeReason(node)?.duration, JSONDocument.milliseconds)),
            ("applied", .optional(node.applied, JSONDocument.position)),
            ("lag", .optional(node.lag(behind: head), JSONDocument.unsigned)),
            ("lease_ms", .optional(node.leaseLeft, JSONDocument.milliseconds)),
            ("entries", .optional(node.sum("entries"), JSONDocument.unsigned)),
            ("bytes", .optional(node.sum("memory_bytes"), JSONDocument.unsigned)),
            ("hit_ratio", .optional(node.hitRatio, JSONDocument.decimal)),
            ("memory_bytes", .optional(node.sum("memory_bytes"), JSONDocument.unsigned)),
            ("memory_bytes_max", .optional(node.sum("memory_bytes_max"), JSONDocument.unsigned)),
            ("messages", .optional(node.sum("messages"), JSONDocument.unsigned)),
            ("shards", .integer(endpoints.count)),
            ("slots", .optional(slotCount(of: node.node), JSONDocument.unsigned)),
            ("figures", .object(node.figures.map { ($0.name, .unsigned($0.value)) })),
        ])
    }
}

extension CacheError {
    /// Whether it is an answer: the key lacks the right to ask.
    var isDenial: Bool { code == .unauthorised }
}
