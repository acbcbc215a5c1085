import CacheModel
import CacheNodeCore
import Testing

/// A node's two loops, as the server runs them.
extension Stage {
    func turn(_ node: StagedNode) {
        if node.live == .open {
            for frame in node.liveFrames {
                frame.withUnsafeBytes {
                    node.control.receivedLive(frame: $0, now: now, into: &node.actions)
                }
            }
            node.liveFrames = []
        }
        if node.toNode == .open {
            for frame in node.controlFrames {
                frame.withUnsafeBytes {
                    node.control.receivedControl(frame: $0, now: now, into: &node.actions)
                }
            }
            node.controlFrames = []
        }
        node.control.tick(now: now, into: &node.actions)
        perform(node)
        node.control.endTurn(now: now, into: &node.actions)
        perform(node)
        node.shard.tick(now: now)
        node.shard.finishWaiting(now: now, into: &node.replies, effects: &node.effects)
        collect(node)
        perform(node)
    }

    private func perform(_ node: StagedNode) {
        while !node.actions.isEmpty {
            let due = node.actions
            node.actions = []
            for action in due { perform(action, node) }
            collect(node)
        }
    }

    private func perform(_ action: NodeControlAction, _ node: StagedNode) {
        switch action {
        case .apply(let records, let isAwaited):
            node.shard.apply(
                records, isAwaited: isAwaited, now: now, effects: &node.effects)
        case .forget(let mark, _, let isPending):
            node.shard.forget(
                continuingFrom: mark, isPending: isPending, now: now, effects: &node.effects)
        case .settle(let touched, let mark): node.shard.settle(touched, from: mark)
        case .setStanding(let standing): node.shard.setStanding(standing)
        case .sendControl(let bytes):
            if node.toPublisher != .cut { node.sentFrames.append(bytes) }
        case .topology(let frame): node.shard.setTopology(frame: frame, now: now)
        case .configuration: node.shard.configure([:], fallback: policy)
        case .published(_, let ticket, let result):
            node.shard.published(ticket: ticket, at: try? result.get())
        case .headKnown(_, let number, let head):
            node.shard.headKnown(number: number, head: head)
        case .resubscribe, .subscribe: subscribe()
        case .reconnectControl, .connectControl, .report, .leave, .lives: break
        case .fatal(let sentence): Issue.record("\(node.name) gives up: \(sentence)")
        }
    }

    /// Carries what the shard wants to the control thread, and its replies to whoever looks.
    func collect(_ node: StagedNode) {
        for entry in node.replies.entries {
            let mayClaimFresh = node.shard.mayClaimFresh(now: now)
            guard !entry.claimsFresh || mayClaimFresh else { continue }
            node.answers.append([UInt8](node.replies.bytes(of: entry)))
        }
        node.replies.removeAll()
        let effects = node.effects
        node.effects = []
        for effect in effects {
            switch effect {
            case .publish(let request):
                node.control.publish(request, now: now, into: &node.actions)
            case .askHead(let number):
                node.control.askHead(
                    ShardIndex(0), number: number, now: now, into: &node.actions)
            case .applied(let mark, _):
                node.control.shardApplied(
                    ShardIndex(0), mark: mark, now: now, into: &node.actions)
            case .drain: node.control.drain(now: now, into: &node.actions)
            case .drained: node.control.shardDrained(ShardIndex(0))
            case .load, .hasten, .leavePeer, .write, .askQueue:
                preconditionFailure("applications fill the caches of this stage")
            case .arriving, .pull, .gives:
                preconditionFailure("the log of this stage assigns no slots")
            }
        }
    }
}
