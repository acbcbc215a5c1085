import CacheAccess
import CacheModel
import CacheWire
import DequeModule

/// The requests that wait for a replay, in the order of asking: nodes before observers.
///
/// Nodes that return together ask together. One turn reads and sends a bounded amount; the rest
/// waits here, so that leases and invalidations do not wait for replays. A node's run is queued
/// once, with its latest request: it asks again with every heartbeat. Observers do not
/// repeat requests, and may ask for several readers over one connection, so each of their requests
/// counts. Those of one key have at most half of the observers' capacity, and none of the nodes'.
struct ReplayQueue<Requester> {
    /// An observer's request.
    struct Question: Hashable {
        let peer: PeerID
        let requestID: UInt64
        /// The principal of its key; unknown if access control is off.
        var principal = PrincipalNumber.unknown
    }

    private enum Place: Hashable {
        case node(Incarnation)
        case observer(Question)
    }

    private var nodes: Deque<Incarnation> = []
    private var observers: Deque<Question> = []
    private var waiting: [Place: (requester: Requester, resume: Resume)] = [:]
    /// Number of waiting requests of each principal, if access control is on.
    private var shares: [PrincipalNumber: Int] = [:]

    var isEmpty: Bool { waiting.isEmpty }

    /// - Parameters:
    ///   - question: identifies an observer; a node is identified by its run.
    ///   - countMax: maximum waiting requests of one principal; `nil`: half of the capacity.
    /// - Returns: `false` if the queue is full.
    /// - Complexity: O(1).
    mutating func add(
        _ requester: Requester, _ question: Question, _ resume: Resume, countMax: Int? = nil
    ) -> Bool {
        let isNode = resume.incarnation != .none
        let place = isNode ? Place.node(resume.incarnation) : .observer(question)
        guard waiting[place] != nil || (isNode ? hasRoomForNode : hasRoom(question, countMax))
        else { return false }
        guard waiting.updateValue((requester, resume), forKey: place) == nil else { return true }
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

    /// Removes the request that has waited longest: a node's, while any waits.
    mutating func next() -> (requester: Requester, resume: Resume)? {
        if let node = nodes.popFirst() { return waiting.removeValue(forKey: .node(node)) }
        guard let question = observers.popFirst() else { return nil }
        if let share = shares[question.principal] {
            shares[question.principal] = share > 1 ? share - 1 : nil
        }
        return waiting.removeValue(forKey: .observer(question))
    }
}
