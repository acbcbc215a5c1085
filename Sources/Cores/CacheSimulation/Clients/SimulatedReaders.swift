import ByteCoding
import CacheModel
import CacheNodeCore
import CacheWire

/// Readers: they get, load after misses, store, delete and touch.
struct SimulatedReaders: WorldPart {
    static let peer: PeerID = {
        let bytes: [UInt8] = [0, 1, 0, 0, 7]
        guard let peer = bytes.withUnsafeBytes({ PeerID($0) }) else {
            preconditionFailure("five bytes are a routing id")
        }
        return peer
    }()

    /// The time to live of a touch.
    static let touchedMilliseconds = 300

    let nodes: SimulatedNodes
    let requests: RequestTable
    let origin: SimulatedOrigin
    let configuration: ClusterConfiguration

    var timeline: Timeline { nodes.timeline }
    private var network: SimulatedNetwork { nodes.network }

    func clientActs() {
        guard !isExamined else { return }
        plan(.clientActs, within: 0...2 * settings.readEveryMicroseconds)
        let item = dice.below(Catalog.items.count)
        guard let place = somewhere(for: item) else { return }
        var request = Request(purpose: .get, place: place, items: [item])
        if !requests.positionsTold.isEmpty, dice.chance(perMille: 150) {
            request.atLeast = dice.pick(Array(requests.positionsTold.suffix(4)))
        }
        if settings.isLoaded(item), dice.chance(perMille: 800) { return readThrough(request) }
        switch dice.below(100) {
        case 0..<60:
            request.purpose = .load
            get(request)
        case 60..<65:
            request.isStrong = true
            get(request)
        case 65..<75:
            request.allowsStale = dice.chance(perMille: 500)
            get(request)
        case 75..<82:
            request.items = neighbours(of: item)
            get(request)
        case 82..<90:
            request.purpose = .plainSet(makePlainFill(item))
            set(request)
        case 90..<95: delete(request)
        default: touch(request)
        }
    }

    /// The key and others of its namespace and shard: the keys of one message.
    func neighbours(of item: Int) -> [Int] {
        let home = configuration.home(of: item)
        return Catalog.items.indices.filter {
            configuration.home(of: $0) == home
                && Catalog.items[$0].namespace == Catalog.items[item].namespace
        }
    }

    /// A shard for the key: mostly of a node's newest run, sometimes of an older one that is
    /// considered dead. In a sharded cluster mostly its owner.
    func somewhere(for item: Int) -> ShardPlace? {
        let home = configuration.home(of: item)
        let isAstray = home.node == nil || dice.chance(perMille: 100)
        let node = isAstray ? dice.below(settings.nodeCount) : home.node ?? 0
        var run = nodes.newestRun[node]
        if dice.chance(perMille: 100), let old = nodes.runs.first(where: { !$0.isDead }) {
            run = old.number
        }
        guard run >= 0, !nodes.runs[run].isDead else { return nil }
        return ShardPlace(run: run, shard: home.shard)
    }

    private func makePlainFill(_ item: Int) -> Int {
        let operation = OperationID(high: Fill.storeOperations, low: UInt64(origin.fills.count))
        let isOrdered = settings.kind == .replicated
        var fill = Fill(
            number: origin.fills.count, item: item, claim: isOrdered ? .ordered(operation) : .blind)
        fill.paddingBytes = settings.tiers?.paddingBytes ?? 0
        fill.tags = UInt64(dice.below(1 << Catalog.tags.count))
        fill.content = origin.database.version(of: item, at: now)
        if dice.chance(perMille: 400) { fill.version = fill.content }
        fill.hasValidator = dice.chance(perMille: 300)
        fill.isQuoted = settings.origin != nil
        fill.readStep = step
        fill.sawStep = step
        origin.fills.append(fill)
        return fill.number
    }

    // MARK: Requests

    func get(_ request: Request) {
        var options: GetOperation.Options = request.allowsStale ? .allowStale : []
        switch request.purpose {
        case .load: options.insert(.token)
        case .prefetch: options.insert(.prefetch)
        case .proof(let item) where !settings.isLoaded(item): options.insert(.token)
        default: break
        }
        ask(.get, request) { writer in
            for item in request.items {
                Catalog.items[item].key.bytes.withUnsafeBytes {
                    GetOperation.append(key: $0, options: options, to: &writer)
                }
            }
        }
    }

    func set(_ request: Request) {
        let number: Int
        switch request.purpose {
        case .fill(let fill), .plainSet(let fill), .copy(let fill): number = fill
        case .renewal(let fill): return renew(fill, request)
        default: preconditionFailure("only a fill is stored")
        }
        let fill = origin.fills[number]
        let tags = Catalog.tags.indices.filter { fill.tags & 1 << UInt64($0) != 0 }
        var description = SetOperation.Description(
            version: fill.version, tags: tags.map { Catalog.tags[$0] })
        description.token = fill.token
        description.etag = fill.validator
        var operation = OperationID.none
        if case .plainSet = request.purpose, case .ordered(let id) = fill.claim { operation = id }
        ask(.set, request, operation) { writer in
            Catalog.items[fill.item].key.bytes.withUnsafeBytes { key in
                fill.value.withUnsafeBytes { value in
                    SetOperation.append(key: key, value: value, description, to: &writer)
                }
            }
        }
    }

    /// Tells the shard that the origin has confirmed the value of the miss.
    private func renew(_ number: Int, _ request: Request) {
        let fill = origin.fills[number]
        var description = SetOperation.Description(version: fill.renewable?.version ?? .none)
        description.token = fill.token
        description.etag = fill.renewable?.validator
        description.options = .renew
        ask(.set, request) { writer in
            Catalog.items[fill.item].key.bytes.withUnsafeBytes { key in
                SetOperation.append(
                    key: key, value: UnsafeRawBufferPointer(start: nil, count: 0), description,
                    to: &writer)
            }
        }
    }

    private func delete(_ request: Request) {
        let operation = OperationID(high: 0xDE1, low: requests.nextID())
        var request = request
        request.purpose = .delete(operation)
        ask(.delete, request, operation) { writer in
            Catalog.items[request.items[0]].key.bytes.withUnsafeBytes {
                DeleteOperation.append(key: $0, to: &writer)
            }
        }
    }

    private func touch(_ request: Request) {
        var request = request
        request.purpose = .touch
        ask(.touch, request) { writer in
            Catalog.items[request.items[0]].key.bytes.withUnsafeBytes {
                TouchOperation.append(
                    key: $0, timeToLive: UInt64(Self.touchedMilliseconds), to: &writer)
            }
        }
    }

    private func ask(
        _ type: MessageType, _ request: Request, _ operation: OperationID = .none,
        _ body: (inout ByteWriter) -> Void
    ) {
        let id = requests.nextID()
        var writer = ByteWriter(capacityBytes: 256)
        var message = MessageWriter(type, requestID: id, into: &writer)
        message.field(Catalog.items[request.items[0]].namespace, into: &writer)
        if let atLeast = request.atLeast {
            message.field(MessageFields.ID.atLeast, atLeast, into: &writer)
        }
        if request.isStrong {
            message.field(
                MessageFields.ID.fresh, UnsafeRawBufferPointer(start: nil, count: 0), into: &writer)
        }
        message.field(operation, into: &writer)
        message.field(
            MessageFields.ID.deadline, UInt32(request.deadlineMilliseconds), into: &writer)
        demand(request, &message, into: &writer)
        body(&writer)
        message.finish(&writer, count: request.items.count)
        requests[id] = request
        requests[id]?.step = step
        let run = request.place.run
        network.send(
            .request(request.place, writer.array), over: nodes.runs[run].links.requests, run: run)
    }

    /// The demands of a reader on a node that loads values itself.
    private func demand(
        _ request: Request, _ message: inout MessageWriter, into writer: inout ByteWriter
    ) {
        if let policy = request.readPolicy { message.field(policy, into: &writer) }
        if let age = request.maxAgeMilliseconds {
            message.field(MessageFields.ID.maxAge, UInt32(age), into: &writer)
        }
        if let stale = request.maxStaleMilliseconds {
            message.field(MessageFields.ID.maxStale, UInt32(stale), into: &writer)
        }
    }

    // MARK: Answers

    /// A reader goes on after an answer to its request.
    func received(_ answer: Answer, to request: Request) {
        guard let outcome = answer.outcomes.first else { return }
        switch request.purpose {
        case .load:
            guard outcome.status == .miss, let token = outcome.token else { return }
            beginLoad(request.items[0], token, outcome.renewable, answer)
        case .plainSet(let fill):
            guard outcome.status == .stored, let token = outcome.token else { return }
            spread(fill, token, from: request.place)
        default: break
        }
    }

    /// Copies a replicated store to the other replicas, each of which waits for its position.
    private func spread(_ number: Int, _ token: FillToken, from place: ShardPlace) {
        origin.fills[number].token = token
        requests.positionsTold.append(token.position)
        for run in nodes.newestRun where run >= 0 && run != place.run && !nodes.runs[run].isDead {
            var copy = Request(
                purpose: .copy(number), place: ShardPlace(run: run, shard: place.shard),
                items: [origin.fills[number].item])
            copy.atLeast = token.position
            set(copy)
        }
    }
}
