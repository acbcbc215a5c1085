import CacheAccess
import CacheModel
import CacheWire
import DequeModule

/// Who waits for a replay, in the order of asking: nodes before everybody else.
///
/// Nodes that come back together ask together. What one turn reads and sends is bounded; the rest
/// waits here, so that leases and invalidations do not wait behind replays. A node's run stands in
/// it once, with what it asked last and from where: it asks again with every heartbeat. Observers
/// have no such habit, and may ask for several readers over one connection, so each question of
/// theirs counts; those of one key have half of the room at most, and never any of the nodes'.
struct ReplayQueue<Asker> {
    /// An observer's question.
    struct Question: Hashable {
        let peer: PeerID
        let requestID: UInt64
        /// Whose key it has shown; unknown where nobody is asked who they are.
        var principal = PrincipalNumber.unknown
    }

    private enum Place: Hashable {
        case node(Incarnation)
        case observer(Question)
    }

    private var nodes: Deque<Incarnation> = []
    private var observers: Deque<Question> = []
    private var waiting: [Place: (asker: Asker, resume: Resume)] = [:]
    /// How many questions wait of each key that somebody has looked at.
    private var shares: [PrincipalNumber: Int] = [:]

    var isEmpty: Bool { waiting.isEmpty }

    /// - Parameters:
    ///   - question: by which an observer is known; a node is known by its run.
    ///   - countMax: how many of one key may wait; `nil`: half of what there is room for.
    /// - Returns: `false` if there is no room.
    /// - Complexity: O(1).
    mutating func add(
        _ asker: Asker, _ question: Question, _ resume: Resume, countMax: Int? = nil
    ) -> Bool {
        let isNode = resume.incarnation != .none
        let place = isNode ? Place.node(resume.incarnation) : .observer(question)
        guard waiting[place] != nil || (isNode ? hasRoomForNode : hasRoom(question, countMax))
        else { return false }
        guard waiting.updateValue((asker, resume), forKey: place) == nil else { return true }
        if isNode {
            nodes.append(resume.incarnation)
        } else {
            observers.append(question)
            if question.principal != .unknown { shares[question.principal, default: 0] += 1 }
        }
        return true
    }

    private var hasRoomForNode: Bool { nodes.count < PublisherLimits.replaysWaitingMax }

    private func hasRoom(_ question: Question, _ countMax: Int?) -> Bool {
        observers.count < PublisherLimits.replaysWaitingMax
            && shares[question.principal, default: 0]
                < countMax ?? PublisherLimits.replaysWaitingMax / 2
    }

    /// Takes out who has waited longest: of the nodes, while some wait.
    mutating func next() -> (asker: Asker, resume: Resume)? {
        if let node = nodes.popFirst() { return waiting.removeValue(forKey: .node(node)) }
        guard let question = observers.popFirst() else { return nil }
        if let share = shares[question.principal] {
            shares[question.principal] = share > 1 ? share - 1 : nil
        }
        return waiting.removeValue(forKey: .observer(question))
    }
}
