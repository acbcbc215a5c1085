import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore

/// The sockets of the acting publisher, where all that it hears and says is noted and judged.
struct PublisherChannels: WorldPart {
    let nodes: SimulatedNodes
    let configuration: ClusterConfiguration
    let judges: Judges

    var timeline: Timeline { nodes.timeline }
    private var network: SimulatedNetwork { nodes.network }
    private var publisher: SimulatedPublisher { nodes.publisher }

    // MARK: Coming in

    /// A frame came in at the acting publisher.
    func note(_ frame: [UInt8], from peer: UInt32) throws(Violation) {
        if frame[3] == MessageType.invalidate.rawValue {
            let requestID = try SentFrame.decoded(frame) { $0.requestID }
            publisher.memory.questions[.init(peer: peer, requestID: requestID)] = (step, now)
            try judges.log.noteAsked(frame)
        }
        // By the contents of the frame: the connection, and the run, may be gone by now.
        if frame[3] == MessageType.ping.rawValue {
            let incarnation = try SentFrame.decoded(frame) {
                try Ping(decoding: $0.body).incarnation
            }
            nodes.run(of: incarnation)?.memory.pingedStep = step
            publisher.memory.pinged.insert(incarnation)
        }
        try noteHello(frame, from: peer)
    }

    /// Until the publisher has decided where its log continues, positions in HELLOs are binding.
    private func noteHello(_ frame: [UInt8], from peer: UInt32) throws(Violation) {
        guard frame[3] == MessageType.hello.rawValue else { return }
        let hello = try SentFrame.decoded(frame) { try Hello(decoding: $0.body) }
        publisher.memory.greetings[peer] = hello.applied.position
        publisher.memory.greeted.insert(hello.node)
        // The publisher ignores a node that has left the configuration.
        let isMember =
            configuration.plan.nodes.contains { $0.id == hello.node }
            || publisher.core.joined.contains(hello.node)
        if publisher.memory.hasDecided || !isMember { return }
        if hello.log != .none, hello.applied.position.epoch != .none {
            publisher.memory.furthestTold = max(
                publisher.memory.furthestTold, hello.applied.position)
        }
    }

    /// The core takes the PINGs that waited until it was proven that it leads. One that came after
    /// this proof was asked for is taken with the next.
    func noteConfirmed() {
        let pinged = publisher.memory.pinged
        publisher.memory.proven = pinged.union(publisher.memory.pingedBefore)
        (publisher.memory.pingedBefore, publisher.memory.pinged) = (pinged, [])
        noteProven()
        for incarnation in pinged { nodes.run(of: incarnation)?.memory.takenStep = step }
    }

    /// They count as taken until the actions of the turn are performed.
    func noteProven() {
        for incarnation in publisher.memory.proven {
            nodes.run(of: incarnation)?.memory.pingedStep = step
        }
    }

    // MARK: Going out

    func broadcast(_ frame: [UInt8]) throws(Violation) {
        if frame[3] == MessageType.records.rawValue { try judges.log.judgeSent(frame) }
        for run in nodes.runs where run.connection.livePublisher == publisher.index {
            let link = run.linksByPublisher[publisher.index].live
            guard publisher.subscriptions[run.number] == network.connection(of: link) else {
                continue
            }
            network.send(.live(frame), over: link, run: run.number)
        }
    }

    func reply(_ frame: [UInt8], to peer: PeerID) throws(Violation) {
        switch MessageType(rawValue: frame[3]) {
        case .receipt: try judges.log.judgeReceipt(frame, to: Self.number(of: peer))
        case .error: try judges.log.judgeDenial(frame, to: Self.number(of: peer))
        case .truncated: count(.truncations)
        case .welcome:
            noteProven()
            try judges.log.judgeWelcome(frame, to: Self.number(of: peer))
        default: break
        }
        try send(frame, to: Self.number(of: peer))
    }

    /// Whether no other publisher leads. A lease that one grants after that, proven before, counts
    /// from before that, too.
    private var isLeading: Bool {
        guard let ledger = judges.log.ledger else { return true }
        return ledger.leading == publisher.shared.term
    }

    private func send(_ frame: [UInt8], to peer: UInt32) throws(Violation) {
        switch publisher.owners[peer] {
        case .run(let run):
            if frame[3] == MessageType.pong.rawValue,
                try SentFrame.decoded(frame, { try Pong(decoding: $0.body) }).leaseMilliseconds > 0
            {
                let known = nodes.runs[run].memory.firstGrants[publisher.generation]
                nodes.runs[run].memory.firstGrants[publisher.generation] = known ?? step
                nodes.runs[run].memory.leasedStep = step
                publisher.memory.grantedAt[nodes.runs[run].node] = now
                if isLeading { judges.lives.noteGrant(of: nodes.runs[run]) }
            }
            // A run that another publisher welcomed has to greet again before a lease.
            if frame[3] == MessageType.welcome.rawValue, isLeading {
                try judges.lives.judgePreviousRun(of: nodes.runs[run], frame)
            }
            network.send(.control(frame), over: nodes.runs[run].links.fromPublisher, run: run)
        case .writer:
            if frame[3] == MessageType.done.rawValue {
                let requestID = try SentFrame.decoded(frame) { $0.requestID }
                judges.lives.noteForgotten(SimulatedWriters.forgotten(by: requestID))
            }
            network.send(.receipt(frame), over: publisher.writerLinks.fromPublisher, run: -1)
        case nil: break
        }
    }

    // MARK: Peers

    static func peer(_ number: UInt32) -> PeerID {
        let bytes = withUnsafeBytes(of: number) { [0] + [UInt8]($0) }
        guard let peer = bytes.withUnsafeBytes({ PeerID($0) }) else {
            preconditionFailure("five bytes are a name")
        }
        return peer
    }

    static func number(of peer: PeerID) -> UInt32 {
        peer.withBytes { $0.loadUnaligned(fromByteOffset: 1, as: UInt32.self) }
    }
}
