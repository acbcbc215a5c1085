import ByteCoding
import CacheModel
import CacheWire

/// Writers: they commit to the database, then invalidate, and retry until they have a receipt.
struct SimulatedWriters: WorldPart {
    private static let askedMax = 6
    private static let redirectedMax = 40

    let network: SimulatedNetwork
    let publishers: SimulatedPublishers
    let requests: RequestTable
    let origin: SimulatedOrigin

    var timeline: Timeline { network.timeline }

    func writerActs() {
        guard !isCalm else { return }
        plan(.writerActs, within: 0...2 * settings.writeEveryMicroseconds)
        let number = requests.intents.count
        var scopes = [drawScope()]
        while dice.chance(perMille: 150), scopes.count < 3 { scopes.append(drawScope()) }
        let request = InvalidateRequest(
            scopes: scopes, strength: dice.chance(perMille: 250) ? .soft : .hard,
            wait: dice.pick([.all, .all, .quorum, .none]),
            timeoutMilliseconds: UInt32(dice.number(in: 50...dice.pick([2_000, 5_000]))),
            operation: OperationID(high: 0x1417, low: UInt64(number + 1)))
        requests.intents.append(Intent(number: number, request: request))
        askForInvalidation(number)
    }

    private func drawScope() -> Scope {
        let item = Catalog.items[dice.below(Catalog.items.count)]
        switch dice.below(100) {
        case 0..<50: return commit(item)
        case 50..<75: return Scope(.tag(dice.pick(Catalog.tags), in: item.namespace))
        case 75..<92:
            return Scope(.prefix(Array(dice.pick(Catalog.prefixes).utf8), in: item.namespace))
        case 92..<97: return Scope(.namespace(item.namespace))
        default: return Scope(.everything)
        }
    }

    /// Commits a new version of a key; the invalidation sometimes spares values that have it
    /// already.
    private func commit(_ item: Catalog.Item) -> Scope {
        let index = Catalog.items.firstIndex {
            $0.key == item.key && $0.namespace == item.namespace
        }
        guard let index else { preconditionFailure("an item of the catalog is in it") }
        let version = origin.database.commit(index, at: now)
        // A late writer also spares an older version.
        let spared = version.rawValue - UInt64(dice.below(2))
        let minimum = dice.chance(perMille: 250) ? Version(spared) : nil
        return Scope(.key(item.key, in: item.namespace), minimumVersion: minimum)
    }

    func askForInvalidation(_ number: Int) {
        // The last one decides whether all is well: it is asked until it is answered.
        let intent = requests.intents[number]
        guard intent.receipt == nil, intent.isFinal || intent.askedCount < Self.askedMax else {
            return
        }
        requests.intents[number].askedCount += 1
        var writer = ByteWriter(capacityBytes: 256)
        requests.intents[number].request.encode(requestID: UInt64(number), into: &writer)
        let publisher = addressed()
        network.send(
            .toPublisher(peer: publisher.writerPeer, writer.array),
            over: publisher.writerLinks.toPublisher, run: -1)
        // Some writers are impatient.
        let isHasty = requests.intents[number].askedCount == 1 && dice.chance(perMille: 60)
        plan(
            .writerAsksAgain(number),
            within: isHasty ? 1_000...50_000 : 2_100_000...2_500_000)
    }

    // MARK: Dead nodes

    func planForgetting() {
        guard settings.nodesLeave else { return }
        let pause = timeline.separate.leaves.number(in: 200_000...1_500_000)
        timeline.add(.nodeIsForgotten, at: now + .microseconds(pause))
    }

    /// No invalidation has such a number.
    private static func number(ofForgetting node: Int) -> UInt64 { .max - UInt64(node) }

    /// The node that is forgotten, by the number of the request.
    static func forgotten(by number: UInt64) -> Int { Int(.max - number) }

    /// An administrator has a node forgotten, whether it is dead or not.
    func nodeIsForgotten() {
        guard !isCalm else { return }
        count(.forgottenNodes)
        let node = timeline.separate.leaves.below(settings.nodeCount)
        var writer = ByteWriter(capacityBytes: 64)
        NodeOrder(.forget, SimulatedNodes.id(of: node))
            .encode(requestID: Self.number(ofForgetting: node), into: &writer)
        let publisher = addressed()
        network.send(
            .toPublisher(peer: publisher.writerPeer, writer.array),
            over: publisher.writerLinks.toPublisher, run: -1)
        planForgetting()
    }

    /// The publisher that is asked: another one if the last was silent.
    private func addressed() -> SimulatedPublisher {
        if !requests.isWriterHeard {
            requests.writersAddress = publishers.next(after: requests.writersAddress)
        }
        requests.isWriterHeard = settings.shared == nil
        return publishers.all[requests.writersAddress]
    }

    /// A publisher does not lead: the next one is asked, as soon as one may lead.
    private func turn(after frame: [UInt8]) throws(Violation) {
        let (number, answer) = try SentFrame.decoded(frame) {
            (Int(clamping: $0.requestID), try NotLeader(decoding: $0.body))
        }
        requests.writersAddress =
            publishers.index(at: answer.controlEndpoint)
            ?? publishers.next(after: requests.writersAddress)
        guard number < requests.intents.count,
            requests.intents[number].redirectedCount < Self.redirectedMax
        else { return }
        requests.intents[number].redirectedCount += 1
        requests.intents[number].askedCount -= 1
        let pause = answer.controlEndpoint.isEmpty ? 50_000...250_000 : 100...1_000
        timeline.add(
            .writerAsksAgain(number),
            at: now + .microseconds(timeline.separate.shared.number(in: pause)))
    }

    /// A writer gets a receipt.
    ///
    /// - Returns: the receipt of the last invalidation; `nil` for any other message.
    func received(_ frame: [UInt8]) throws(Violation) -> Receipt? {
        requests.isWriterHeard = true
        if frame[3] == MessageType.notLeader.rawValue { try turn(after: frame) }
        guard frame[3] == MessageType.receipt.rawValue else { return nil }
        let (number, receipt) = try SentFrame.decoded(frame) {
            (Int(clamping: $0.requestID), try Receipt(decoding: $0))
        }
        requests.intents[number].receipt = receipt
        requests.positionsTold.append(receipt.position)
        return requests.intents[number].isFinal ? receipt : nil
    }

    /// Sends a last invalidation, which all nodes must apply.
    func sendLast() {
        let number = requests.intents.count
        let request = InvalidateRequest(
            scopes: [Scope(.everything)], wait: .all, timeoutMilliseconds: 5_000,
            operation: OperationID(high: 0x1417, low: UInt64(number + 1)))
        requests.intents.append(Intent(number: number, request: request, isFinal: true))
        askForInvalidation(number)
    }
}
