import ByteCoding
import CacheLoading
import CacheModel
import CacheWire
import TestSupport

@testable import CacheNodeCore

/// Three nodes with write queues, one origin, and a log that gives two keys to one node after the
/// other. What happens next is drawn from a seed.
///
/// A node takes writes of a key once every living node has applied the record that gave it the key:
/// that is what SERVED means.
struct MovingWritesWorld {
    /// A write as its client sees it.
    struct Wish {
        let write: OriginWrite
        let node: Int
        /// `nil`: not answered yet.
        var answer: WriteAnswer?
        /// The node has accepted it for later, and has not been killed before that lasted.
        var isAccepted = false
    }

    private enum Record {
        case change(SlotRecord)
        case written(WriteLine)
    }

    private struct Node {
        var queue = WriteQueue(hasJournal: true, seed: 3)
        var routes: QueuedWriteRoutes
        var table: SlotTable?
        var applied = 0
        /// How the owner of the slots got them, if it saw that.
        var succession: SlotSuccession?
        /// Whether its queue knows what its shards know.
        var isTold = true
        /// Whether the publisher is out of its reach.
        var isCut = false
        /// Whether a change is not served before it has applied it.
        var isLeased = true
        var isAlive = true
        var file: [JournalRecord] = []
        var orders: [WriteQueueAction.JournalOrder] = []
        /// With whether it began while the key was the node's, and still is.
        var attempts: [WriteNumber: OriginWrite] = [:]
        var publishes: [WriteNumber: WriteLine] = [:]
        var forwards: [WriteForward] = []
        /// What it has taken from other nodes, by its own numbers: who waits for the answer.
        var guests: [UInt64: (forward: WriteForward, from: Int)] = [:]
    }

    private static let names = ["n1", "n2", "n3"]
    /// Those of the keys.
    private static let slots = (0..<2).compactMap { key in
        CacheKey("key\(key)")?.bytes.withUnsafeBytes { HashSlot(of: $0) }
    }.sorted { $0.rawValue < $1.rawValue }
    private var dice: SeededGenerator
    private var now = Instant(nanoseconds: 0)
    private var nodes: [Node] = []
    private var tables = [SlotTable(beginningOf: Epoch(1))]
    private var records: [Record?] = [nil]
    private(set) var wishes: [Wish] = []
    private var effects: [OperationID] = []
    /// Writes that were on their way to the origin when their key moved: they may come late.
    private var late: Set<OperationID> = []
    /// Answers to forwarded writes that are on their way.
    private var answers: [(forward: WriteForward, to: Int, outcome: WriteForwardOutcome)] = []
    private var nextTicket: UInt64 = 0
    private(set) var forwardedCount = 0
    private(set) var crashCount = 0
    private var gapCount = 0
    private var moveCount = 0
    /// What happened, for a complaint.
    private(set) var trace: [String] = []
    private var troubles: Int
    private var isOriginUp = true

    init(seed: UInt64, troubles: Int) throws {
        dice = SeededGenerator(seed: seed)
        self.troubles = troubles
        for name in Self.names {
            guard let id = NodeID(name) else { preconditionFailure("it is a name") }
            nodes.append(Node(routes: QueuedWriteRoutes(node: id)))
            give(to: nodes.count - 1)
        }
        give(to: 0)
        isOriginUp = draw(3) == 0
        for index in nodes.indices { restart(index, from: []) }
    }

    /// 0 to below `count`.
    private mutating func draw(_ count: Int) -> Int { Int.random(in: 0..<count, using: &dice) }

    private static func id(_ index: Int) -> NodeID {
        guard let id = NodeID(names[index]) else { preconditionFailure("it is a name") }
        return id
    }

    private func position(_ number: Int) -> LogPosition {
        LogPosition(epoch: Epoch(1), sequence: SequenceNumber(UInt64(number)))
    }

    private var head: Int { tables.count - 1 }

    // MARK: The log

    /// The slots of all keys are another shard's. No others have owners.
    private mutating func give(to index: Int, shard: UInt8 = 0) {
        let number = MemberNumber(UInt16(index + 1))
        let member = SlotMember(
            node: Self.id(index), state: .member, shardCount: 2, weightThousandths: 1_000)
        let owner = SlotOwner(member: number, shard: shard)
        let runs = Self.slots.compactMap { SlotChange.Run(first: $0, count: 1, owner: owner) }
        let rows = tables[head].members[number] == nil ? [SlotChange.Row(number, member)] : []
        let change = SlotChange(rows: rows, runs: runs)
        var next = tables[head]
        _ = next.apply(change, at: position(head + 1))
        let record = SlotRecord.change(change, digest: next.digest)
        tables.append(next)
        records.append(.change(record))
        trace.append("change \(head) gives all to \(index)")
    }

    private var owner: Int? {
        guard let owner = tables[head][Self.slots[0]] else { return nil }
        return Int(owner.member.rawValue) - 1
    }

    /// Since when the slots have their owner.
    private static func since(_ table: SlotTable) -> SequenceNumber {
        table.since[Int(slots[0].rawValue)]
    }

    /// Whether the last change is known to every node that lives and has a lease.
    private var isServed: Bool {
        let last = Self.since(tables[head]).rawValue
        return nodes.allSatisfy { !$0.isAlive || !$0.isLeased || UInt64($0.applied) >= last }
    }

    /// A turn of the node's shards. Its queue hears of it now or later.
    private mutating func applySome(_ index: Int) {
        guard nodes[index].isAlive, !nodes[index].isCut else { return }
        for _ in 0...draw(3) { apply(index) }
        if nodes[index].table == nil {
            nodes[index].applied = head
            nodes[index].table = tables[head]
            nodes[index].isTold = false
        }
        if nodes[index].isTold || draw(3) > 0 { tellSlots(index) }
        if nodes[index].applied == head, !nodes[index].isLeased {
            tellSlots(index)
            setLeased(index, true)
        }
    }

    private mutating func apply(_ index: Int) {
        guard nodes[index].applied < head, nodes[index].table != nil else { return }
        let number = nodes[index].applied + 1
        nodes[index].applied = number
        trace.append("\(index) applies \(number)")
        switch records[number] {
        case .written: break
        case .change, nil:
            nodes[index].succession = succession(of: number, nodes[index].succession)
            if !nodes[index].isLeased { nodes[index].succession = nil }
            noteLate(index)
            nodes[index].table = tables[number]
            nodes[index].isTold = false
        }
    }

    private func succession(of number: Int, _ known: SlotSuccession?) -> SlotSuccession {
        let (before, after) = (tables[number - 1], tables[number])
        let slot = Self.slots[0]
        guard before[slot]?.member != after[slot]?.member else {
            return known ?? SlotSuccession(began: Self.since(before), predecessor: nil)
        }
        return SlotSuccession(began: Self.since(after), predecessor: Self.since(before))
    }

    /// What is under way at the origin now can come after a write by another node.
    private mutating func noteLate(_ index: Int) {
        for (_, write) in nodes[index].attempts { late.insert(write.name) }
    }

    private mutating func tellSlots(_ index: Int) {
        nodes[index].isTold = true
        guard let table = nodes[index].table else { return tell(index, .unknown) }
        let successions = nodes[index].succession.map { known in
            Dictionary(Self.slots.map { ($0, known) }, uniquingKeysWith: { $1 })
        }
        tell(index, .known(table, successions ?? [:]))
    }

    private mutating func tell(_ index: Int, _ news: SlotsNews) {
        let position = nodes[index].routes.update(news)
        act(index) { node, _, actions in
            if let position { node.queue.renew(position, into: &actions) }
        }
        reroute(index)
    }

    private mutating func reroute(_ index: Int) {
        let routes = nodes[index].routes
        act(index) { $0.queue.ownersChanged({ routes.route($0, $1) }, now: $1, into: &$2) }
    }

    private mutating func setLeased(_ index: Int, _ isLeased: Bool) {
        trace.append("\(index) has \(isLeased ? "a" : "no") lease")
        nodes[index].isLeased = isLeased
        if nodes[index].routes.setLeased(isLeased) { reroute(index) }
    }

    /// The publisher is out of reach until the next call; the lease is over before another node
    /// gets the keys.
    private mutating func cut(_ index: Int) {
        guard nodes[index].isAlive else { return }
        nodes[index].isCut.toggle()
        guard nodes[index].isCut else { return }
        gapCount += 1
        noteLate(index)
        setLeased(index, false)
    }

    /// A node that missed records knows the owners of now, in a while, and not what was before.
    private mutating func jump(_ index: Int) {
        guard nodes[index].isAlive, !nodes[index].isCut, nodes[index].applied < head else {
            return
        }
        gapCount += 1
        trace.append("\(index) jumps to \(head)")
        noteLate(index)
        nodes[index].applied = head
        (nodes[index].succession, nodes[index].table) = (nil, nil)
        tellSlots(index)
    }

    // MARK: Processes

    private mutating func crash(_ index: Int) {
        crashCount += 1
        trace.append("\(index) is killed")
        var file = nodes[index].file
        if let order = nodes[index].orders.first, !order.isWhole {
            file += order.records.prefix(draw(order.records.count + 1))
        }
        let guests = nodes[index].guests.values.sorted { $0.forward.number < $1.forward.number }
        nodes[index] = Node(routes: QueuedWriteRoutes(node: Self.id(index)))
        defer { for guest in guests { end(guest.forward, from: guest.from, .failed(.timedOut)) } }
        (nodes[index].isAlive, nodes[index].file) = (false, file)
    }

    private mutating func restart(_ index: Int, from file: [JournalRecord]) {
        var writer = JournalWriter()
        guard let salt = FileSalt(rawValue: 7),
            let recovered = try? RecoveredJournal(writer.whole(file, salt: salt))
        else { preconditionFailure("whole records are read") }
        trace.append("\(index) starts at \(head)")
        nodes[index].isAlive = true
        nodes[index].file = recovered.records
        nodes[index].applied = head
        reroute(index)
        act(index) { $0.queue.restore(recovered, now: $1, into: &$2) }
        nodes[index].table = tables[head]
        tellSlots(index)
        setLeased(index, true)
    }

    // MARK: Steps

    mutating func step() {
        now = now.advanced(by: .milliseconds(Int64(draw(300))))
        let index = draw(nodes.count)
        switch draw(15) {
        case 0...1: ask()
        case 2...4: applySome(index)
        case 5: attempt(index)
        case 6: publish(index)
        case 7...8: journal(index)
        case 9: deliver(index)
        case 10: act(index) { $0.queue.timeIsUp(now: $1, into: &$2) }
        case 11: hear()
        default: trouble(index)
        }
    }

    private mutating func trouble(_ index: Int) {
        guard troubles > 0, draw(3) == 0 else { return }
        troubles -= 1
        switch draw(10) {
        case 0...3:
            guard isServed, let owner else { return }
            moveCount += 1
            let shard = UInt8(draw(2))
            let next = draw(6) == 0 ? owner : (owner + 1 + draw(nodes.count - 1)) % nodes.count
            guard next != owner || shard != tables[head][Self.slots[0]]?.shard else { return }
            give(to: next, shard: shard)
        case 4: isOriginUp.toggle()
        case 5: if nodes[index].isAlive { crash(index) }
        case 6: if !nodes[index].isAlive { restart(index, from: nodes[index].file) }
        case 7...8: cut(index)
        default: jump(index)
        }
    }

    private static func words(_ action: WriteQueue.Action) -> String {
        switch action {
        case .attempt(let number, let write, _): "tries \(number.rawValue), \(write.name.low)"
        case .forward(let forward):
            "forwards \(forward.write.name.low) to \(forward.node) from "
                + "\(forward.ownedSince?.sequence.rawValue ?? 0)"
        case .answer(let ticket, let answer): "answers \(ticket.number) \(answer)"
        case let other: "\(other)".prefix(40).description
        }
    }

    private mutating func act(
        _ index: Int, _ body: (inout Node, Instant, inout [WriteQueue.Action]) -> Void
    ) {
        guard nodes[index].isAlive else { return }
        var actions: [WriteQueue.Action] = []
        body(&nodes[index], now, &actions)
        for action in actions {
            if case .journal = action {} else { trace.append("\(index): \(Self.words(action))") }
            switch action {
            case .attempt(let number, let write, _):
                nodes[index].attempts[number] = write
                if !nodes[index].isTold { late.insert(write.name) }
            case .publish(let number, let line): nodes[index].publishes[number] = line
            case .journal(let order): nodes[index].orders.append(order)
            case .forward(let forward): nodes[index].forwards.append(forward)
            case .answer(let ticket, let answer): answered(index, ticket.number, answer)
            case .hold, .release: break
            }
        }
    }

    /// A client writes at the node that answers for the key.
    private mutating func ask() {
        guard wishes.count < 12, let owner, isServed, nodes[owner].isAlive,
            nodes[owner].isLeased, nodes[owner].table != nil,
            nodes[owner].applied >= Int(Self.since(tables[head]).rawValue)
        else { return }
        guard let key = CacheKey("key\(draw(2))") else { return }
        let write = OriginWrite(
            namespace: .default, key: key, change: .put([UInt8(wishes.count)]),
            name: OperationID(high: 1, low: UInt64(wishes.count) + 1))
        wishes.append(Wish(write: write, node: owner))
        order(write, at: owner, forwarded: nil, ticket: UInt64(wishes.count - 1))
    }

    private mutating func order(
        _ write: OriginWrite, at index: Int, forwarded: ForwardedWrite?, ticket: UInt64
    ) {
        var order = WriteOrder(
            ticket: WriteTicket(shard: 0, number: ticket), write: write, patience: .seconds(1))
        if let table = nodes[index].table {
            order.ownedSince = LogPosition(epoch: Epoch(1), sequence: Self.since(table))
        }
        order.forwarded = forwarded
        act(index) { $0.queue.asked(order, wall: 0, now: $1, into: &$2) }
    }

    private mutating func answered(_ index: Int, _ ticket: UInt64, _ answer: WriteAnswer) {
        if let guest = nodes[index].guests.removeValue(forKey: ticket) {
            let outcome: WriteForwardOutcome =
                switch answer {
                case .taken, .queued: .accepted
                case .overtaken: .overtaken
                case .refused(let rejection): .refused(rejection)
                case .full, .undecided, .unusable: .failed(.unavailable)
                }
            // The answer may be lost on its way.
            let isLost = troubles > 0 && draw(8) == 0
            if isLost { troubles -= 1 }
            answers.append((guest.forward, guest.from, isLost ? .failed(.timedOut) : outcome))
            return
        }
        guard Int(ticket) < wishes.count else { return }
        wishes[Int(ticket)].answer = answer
        wishes[Int(ticket)].isAccepted = answer == .queued
    }

    /// An answer arrives.
    private mutating func hear() {
        guard !answers.isEmpty else { return }
        let answer = answers.remove(at: draw(answers.count))
        end(answer.forward, from: answer.to, answer.outcome)
    }

    private mutating func end(
        _ forward: WriteForward, from index: Int, _ outcome: WriteForwardOutcome
    ) {
        if outcome == .accepted { forwardedCount += 1 }
        act(index) { $0.queue.forwardEnded(forward, outcome, now: $1, into: &$2) }
    }

    private mutating func deliver(_ index: Int) {
        guard nodes[index].isAlive, !nodes[index].forwards.isEmpty else { return }
        let forward = nodes[index].forwards.removeFirst()
        guard let target = nodes.indices.first(where: { Self.id($0) == forward.node }),
            nodes[target].isAlive, owner == target, isServed, nodes[target].isLeased,
            nodes[target].table != nil
        else { return end(forward, from: index, .failed(.unavailable)) }
        let known = nodes[target].succession.map { known in
            forward.ownedSince?.sequence == known.predecessor
                ? ForwardedWrite.following(
                    ownedSince: position(Int(known.began.rawValue)), coveredAt: nil)
                : .stale
        }
        let forwarded = forward.ownedSince == nil ? .unconditional : known ?? .stale
        nextTicket += 1
        let ticket = 1_000 + nextTicket
        nodes[target].guests[ticket] = (forward, index)
        order(forward.write, at: target, forwarded: forwarded, ticket: ticket)
    }

    private mutating func attempt(_ index: Int) {
        guard let number = nodes[index].attempts.keys.min(),
            let write = nodes[index].attempts.removeValue(forKey: number)
        else { return }
        var verdict = WriteVerdict.down(.unreachable, retryAfter: nil)
        if isOriginUp {
            if !effects.contains(write.name) { effects.append(write.name) }
            trace.append("the origin has \(write.name.low)")
            verdict = .taken
            if troubles > 0, draw(8) == 0 {
                troubles -= 1
                verdict = .down(.timedOut, retryAfter: nil)
            }
        }
        act(index) { $0.queue.attemptEnded(number, verdict, now: $1, into: &$2) }
    }

    private mutating func publish(_ index: Int) {
        guard nodes[index].isAlive, let number = nodes[index].publishes.keys.min(),
            let line = nodes[index].publishes.removeValue(forKey: number)
        else { return }
        tables.append(tables[head])
        records.append(.written(line))
        let at = position(head)
        trace.append("\(head) says that \(line.key) was written")
        act(index) { $0.queue.published(number, at: at, now: $1, into: &$2) }
    }

    private mutating func journal(_ index: Int) {
        guard nodes[index].isAlive, !nodes[index].orders.isEmpty else { return }
        let order = nodes[index].orders.removeFirst()
        nodes[index].file =
            order.isWhole ? order.records : nodes[index].file + order.records
        act(index) { $0.queue.journaled(order.number, succeeded: true, now: $1, into: &$2) }
    }

    /// Nothing goes wrong any more, and everything comes to its end.
    mutating func heal() -> Bool {
        troubles = 0
        isOriginUp = true
        for index in nodes.indices where !nodes[index].isAlive {
            restart(index, from: nodes[index].file)
        }
        for _ in 0..<400 {
            now = now.advanced(by: .seconds(40))
            for index in nodes.indices {
                if nodes[index].isCut { cut(index) }
                repeat { applySome(index) } while nodes[index].applied < head
                tellSlots(index)
                while !nodes[index].attempts.isEmpty { attempt(index) }
                while !nodes[index].publishes.isEmpty { publish(index) }
                while !nodes[index].orders.isEmpty { journal(index) }
                while !nodes[index].forwards.isEmpty { deliver(index) }
                while !answers.isEmpty { hear() }
                act(index) { $0.queue.timeIsUp(now: $1, into: &$2) }
            }
            if nodes.allSatisfy({ $0.queue.depth.waiting == 0 && $0.attempts.isEmpty }) {
                return true
            }
        }
        return false
    }

    // MARK: Promises

    /// What is wrong with this world now; `nil`: nothing.
    func complaint(atEnd isOver: Bool) -> String? {
        for key in 0..<2 {
            let ofKey = wishes.indices.filter { wishes[$0].write.key == CacheKey("key\(key)") }
            var newest = -1
            for name in effects {
                guard let wish = ofKey.first(where: { wishes[$0].write.name == name }) else {
                    continue
                }
                if wish < newest, wishes[wish].node != wishes[newest].node, !late.contains(name) {
                    return "write \(wish) reaches the origin after write \(newest)"
                }
                newest = max(newest, wish)
            }
            for wish in ofKey where wishes[wish].isAccepted {
                let write = wishes[wish].write
                let listed = nodes.flatMap { $0.queue.listing }.first { $0.write == write }
                let isThere = effects.contains(write.name)
                let isFiled = nodes.contains { !$0.isAlive }
                if !isThere, listed == nil, !isFiled { return "write \(wish) is lost" }
                // A slot that comes back may have been written elsewhere.
                let mayBeSetAside = crashCount + gapCount > 0 || moveCount > 1 || !late.isEmpty
                if isOver, !isThere, !mayBeSetAside, wish == ofKey.last {
                    return "write \(wish) is set aside, and none is newer"
                }
            }
        }
        return nil
    }
}
