import AccessControl
import ByteCoding
import CacheAccess
import CacheDisk
import Storage
import CacheMetrics
import CacheModel
import CacheNodeCore
import CacheWire
import Logging
import Telemetry
import Threading
import ZeroMQ

/// The event loop of one shard: collect, ask the core, perform.
///
/// A turn takes the messages, then at most 64 requests, and sends their replies. While requests
/// keep coming it does not poll; when none is left it spins if it is to, and sleeps in the poller,
/// at most until the next tick. While entries take more than they may, every turn ends with a
/// slice of shrinking, and it does not sleep.
struct ShardLoop: ~Copyable {
    struct Setup: Sendable {
        var options: ShardOptions
        var endpoint: Endpoint
        /// Where it listens, too, with another key than the context's; `nil`: nowhere.
        var second: (endpoint: Endpoint, keys: CurveKeyPair)?
        var context: Context
        var connections: DescriptorGuard
        var mailbox: Mailbox<ShardLetter>
        var control: Mailbox<ControlLetter>
        var origin: Mailbox<OriginLetter>
        /// Which copies entries from other nodes; `nil`: none are copied.
        var warmUp: Mailbox<WarmUpLetter>?
        var logger: Logger
        var audit: AuditLog?
        var slow: SlowLog?
        var sample: SampleLog?
        var spans: SpanExporter?
        /// Of its disk tier; `nil` if it is to have none.
        var disk: DiskSetup?
        /// How long it looks for requests before it sleeps.
        var spin: Duration
    }

    private let setup: Setup
    private var core: ShardCore
    private let socket: Socket
    private var ring = FrameRing(capacity: 2 * ShardLimits.framesPerTurnMax)
    private var requests: [RequestFrame] = []
    private var replies = ReplyBuffer()
    private var effects: [ShardEffect] = []
    private var nextTick: Instant
    private var isRunning = true
    private var dropped = DroppedReplies()
    private var refusedNamespaces = RefusedNamespaces()
    /// How long it took to answer what had come in at once, and since when it does now.
    private var turns = DurationHistogram(.brief)
    private var answeringSince: Instant?
    /// What peers have not taken of their replies.
    private var untaken = UnsentLedger<PeerID, PrincipalNumber>(ServerLimits.untaken)
    private var disk: DiskAttendant?
    /// Whether there is another file to listen to.
    private var isDiskChanged = false
    /// Whether the control thread knows where the shard begins.
    private var isDiskSaid = false

    /// Binds, reports the endpoint, and the second if there is one, and loops until told to stop.
    static func run(_ setup: Setup, bound: Promise<Result<[Endpoint], any Error>>) {
        var hasStarted = false
        do {
            let socket = try Socket(setup.context, .router)
            try socket.set(.sendHighWaterMark, to: ServerLimits.repliesPerPeerMax)
            try socket.set(
                .receiveHighWaterMark, to: .messages(ServerLimits.requestsPerPeerMax))
            try setup.connections.watch(socket)
            var endpoints = [try socket.bind(setup.endpoint, domain: AccessDomain.data.zap)]
            if let second = setup.second {
                endpoints.append(try bind(socket, second.endpoint, second.keys))
            }
            var loop = ShardLoop(setup, socket: socket)
            bound.fulfil(.success(endpoints))
            hasStarted = true
            try loop.loop()
        } catch let error as ZeroMQError where error.isTerminated {
            bound.fulfil(.failure(error))
        } catch {
            // The code that starts it is told by the promise, and says it once.
            if hasStarted {
                setup.logger.error("shard \(setup.options.shardIndex.rawValue) ended: \(error)")
            }
            bound.fulfil(.failure(error))
        }
    }

    private static func bind(
        _ socket: borrowing Socket, _ endpoint: Endpoint, _ keys: CurveKeyPair
    ) throws(NodeStartError) -> Endpoint {
        do throws(ZeroMQError) {
            return try socket.bind(endpoint, domain: AccessDomain.data.zap, keys: keys)
        } catch {
            throw NodeStartError(endpoint: endpoint.description, cause: error)
        }
    }

    private init(_ setup: Setup, socket: consuming Socket) {
        self.setup = setup
        self.socket = socket
        core = ShardCore(options: setup.options)
        requests.reserveCapacity(ShardLimits.framesPerTurnMax)
        nextTick = MonotonicClock.now
        disk = setup.disk.map {
            DiskAttendant($0, mailbox: setup.mailbox, logger: setup.logger)
        }
    }

    private mutating func loop() throws {
        disk?.begin(now: MonotonicClock.now)
        var takenCount = 0
        while isRunning {
            var poller = Poller()
            _ = poller.add(socket, for: .readable)
            let mail = poller.add(setup.mailbox.wakeup)
            let bell = disk?.storage.map { poller.add($0.bell) }
            isDiskChanged = false
            while isRunning, !isDiskChanged {
                let isBusy = takenCount == ShardLimits.framesPerTurnMax
                // A shard without requests just now expects none within microseconds.
                let spin = takenCount > 0 ? setup.spin : .zero
                if !isBusy { _ = try poller.wait(timeout: timeout, spinning: spin) }
                if isBusy || poller.isReady(mail) { try takeLetters() }
                if let bell { try takeCompletions(isHeard: isBusy || poller.isReady(bell)) }
                takenCount = try takeRequests()
                try passTime()
            }
        }
        disk?.end(&core)
    }

    private static let tailLost = DiskFailure.device(
        "what is stored in the file's mapped part reaches it no more: it was cut, or its disk "
            + "takes no writes")

    private mutating func takeCompletions(isHeard: Bool) throws {
        guard isHeard, let storage = disk?.storage else { return }
        let now = MonotonicClock.now
        core.diskCompleted(storage.takeCompletions(), now: now)
        // A tier that is being recovered, or emptied, goes on with what was read.
        if core.isTickUrgent { nextTick = min(nextTick, now) }
        try perform()
    }

    /// Hands the tier's commands over, and hears what it has to say.
    private mutating func performDisk() {
        disk?.submit(from: &core)
        let now = MonotonicClock.now
        var place: RecoveredPlace?
        for notice in core.takeDiskNotices() {
            disk?.handle(notice, now: now)
            isDiskChanged = true
            if case .open(_, let goesOnFrom) = notice { place = goesOnFrom }
        }
        guard !isDiskSaid, !core.isDiskAwaited else { return }
        isDiskSaid = true
        setup.control.post(.diskReady(shard: setup.options.shardIndex, place))
    }

    /// How long nothing needs to be done if nothing comes in.
    private var timeout: Duration {
        if core.isOverBudget { return .zero }
        return min(nextTick, core.nextDeadline ?? nextTick).elapsed(since: MonotonicClock.now)
    }

    private mutating func passTime() throws {
        let now = MonotonicClock.now
        if let since = answeringSince {
            turns.note(from: since, to: now)
            answeringSince = nil
        }
        if core.hasWaiting { try finishWaiting(now: now) }
        if core.isOverBudget { core.shrink(now: now) }
        core.noteDrained(effects: &effects)
        try perform()
        guard now >= nextTick else { return }
        if let free = disk?.measuredFreeBytes(now: now) { core.noteDiskFreeBytes(free) }
        core.tick(now: now)
        untaken.lookAgain()
        if setup.audit != nil { writeAudit(of: 0, now: now) }
        if disk?.storage?.isTailLost == true { core.diskWasLost(Self.tailLost, now: now) }
        disk?.tick(now: now)
        disk?.watch(&core, now: now)
        try perform()
        nextTick = now.advanced(
            by: core.isTickUrgent ? ShardLimits.urgentTickInterval : ShardLimits.tickInterval)
        dropped.report(to: setup.logger, shard: setup.options.shardIndex.rawValue)
        refusedNamespaces.report(
            core.statistics.refusedNamespaces, to: setup.logger,
            shard: setup.options.shardIndex.rawValue, now: now)
    }

    /// All shards know the same, sooner or later.
    private mutating func tellSlots() {
        guard setup.options.shardIndex.rawValue == 0, let news = core.takeSlotsNews() else {
            return
        }
        setup.origin.post(.slots(news))
    }

    private mutating func finishWaiting(now: Instant) throws {
        repeat {
            core.finishWaiting(now: now, into: &replies, effects: &effects)
            if core.hasSlowNotes { tellSlow() }
            if core.hasSpanNotes { tellSpans() }
            if core.hasSampleNotes { tellSamples() }
            guard !replies.entries.isEmpty || !effects.isEmpty else { return }
            try perform()
        } while core.hasWaiting
    }

    private mutating func tellSlow() {
        for note in core.takeSlowNotes() { setup.slow?.note(SlowOperation(note)) }
    }

    private mutating func tellSpans() {
        let (notes, leftOut) = core.takeSpanNotes()
        setup.spans?.lose(leftOut)
        for note in notes { setup.spans?.record(note, of: setup.options.node) }
    }

    private mutating func tellSamples() {
        let (notes, leftOut) = core.takeSampleNotes()
        setup.sample?.leaveOut(leftOut)
        for note in notes { setup.sample?.note(SlowOperation(note)) }
    }

    private mutating func takeLetters() throws {
        for letter in setup.mailbox.takeAll() {
            let now = MonotonicClock.now
            switch letter {
            case .access(let table): core.setAccess(table)
            case .apply(let records, let isAwaited):
                core.apply(records, isAwaited: isAwaited, now: now, effects: &effects)
            case .forget(let mark, let log, let isPending):
                core.forget(
                    continuingFrom: mark, of: log, isPending: isPending, now: now,
                    effects: &effects)
            case .lives(let previous): core.setLastLife(previous)
            case .resume(let mark): core.resume(at: mark, now: now)
            case .settle(let touched, let mark): core.settle(touched, from: mark)
            case .standing(let standing): core.setStanding(standing)
            case .topology(let frame): core.setTopology(frame: frame, now: now)
            case .config(let report, let policies):
                core.setConfig(report)
                core.configure(policies.policies, fallback: policies.fallback)
            case .published(let ticket, let position):
                core.published(ticket: ticket, at: position)
            case .headKnown(let number, let head): core.headKnown(number: number, head: head)
            case .loadEnded(let number, let outcome):
                core.loadEnded(number, outcome, now: now, effects: &effects)
            case .warmUp(let progress): core.setWarmUp(progress)
            case .claim(let claim, let tell):
                tell(core.claim(claim.keys, in: claim.namespace, of: claim.change, now: now))
            case .fill(let batch, let tell): tell(core.store(batch, now: now))
            case .pulled(let ended): core.pulled(ended.pull, ended.batch, now: now)
            case .writeEnded(let number, let answer): core.writeEnded(number, answer)
            case .hold(let line): core.hold(line)
            case .release(let line, let position): core.release(line, at: position)
            case .queueDepth(let depth): core.setQueueDepth(depth)
            case .originsOff(let namespaces): core.setOriginsOff(namespaces)
            case .queueReport(let number, let report): core.queueReported(number, report)
            case .descriptors(let usage): core.setDescriptors(usage)
            case .measureMemory:
                setup.control.post(
                    .memory(
                        shard: setup.options.shardIndex, residentBytes: core.memoryInUse))
            case .memoryBudget(let bytes): core.setMemoryBudget(bytes)
            case .pulse(let pulse): pulse.beat()
            case .report(let tell): tell(report(now: now))
            case .disk(let outcome):
                isDiskChanged = true
                if let opened = disk?.opened(outcome, now: now) {
                    core.attachDisk(opened, now: now)
                } else {
                    core.goOnWithoutDisk()
                }
            case .stop: isRunning = false
            }
        }
        try perform()
    }

    /// Takes the requests of one turn and answers them.
    ///
    /// - Returns: how many were taken.
    private mutating func takeRequests() throws -> Int {
        requests.removeAll(keepingCapacity: true)
        var taken = 0
        while taken < ShardLimits.framesPerTurnMax, try receive(at: taken) { taken += 1 }
        var next = 0
        while next < requests.count {
            let now = MonotonicClock.now
            answeringSince = answeringSince ?? now
            next = requests.withUnsafeBufferPointer { frames in
                core.turn(frames, from: next, now: now, into: &replies, effects: &effects)
            }
            if core.hasAuditNotes { writeAudit(of: taken, now: now) }
            if core.hasSampleNotes { tellSamples() }
            try perform()
        }
        return taken
    }

    private func report(now: Instant) -> ShardReport {
        var report = core.report(now: now)
        report.turns = turns
        report.unsent = dropped.counts
        return report
    }

    /// Writes what the core has noted, with the addresses of peers with messages in the ring.
    private mutating func writeAudit(of takenCount: Int, now: Instant) {
        for note in core.takeAuditNotes(now: now) {
            var event = note.event
            let slot = (0..<takenCount).first { PeerID(ring.bytes(at: 2 * $0)) == note.peer }
            if let slot, note.peer != nil {
                event.party?.address = ring.peerAddress(at: 2 * slot + 1) ?? ""
            }
            setup.audit?.note(event)
        }
    }

    /// Receives one message into the ring. One that is not exactly a routing id and a frame is
    /// passed over.
    ///
    /// - Returns: `false` if none is waiting.
    private mutating func receive(at slot: Int) throws -> Bool {
        guard try ring.receive(at: 2 * slot, from: socket) else { return false }
        guard ring.hasMore(at: 2 * slot), try ring.receive(at: 2 * slot + 1, from: socket) else {
            dropped.malformed += 1
            return true
        }
        guard !ring.hasMore(at: 2 * slot + 1) else {
            try skipRest(at: 2 * slot + 1)
            return true
        }
        guard let peer = PeerID(ring.bytes(at: 2 * slot)) else {
            dropped.malformed += 1
            return true
        }
        var request = RequestFrame(peer: peer, bytes: ring.bytes(at: 2 * slot + 1))
        if setup.options.isGuarded, let number = ring.userNumber(at: 2 * slot + 1) {
            request.principal = PrincipalNumber(rawValue: number)
        }
        if untaken.isTight, try refuseWrite(request) { return true }
        requests.append(request)
        return true
    }

    /// Refuses a write of a client without room for the answer: it would be done, and the client
    /// would not hear of it.
    ///
    /// - Returns: whether it did.
    private mutating func refuseWrite(_ request: RequestFrame) throws -> Bool {
        let holder = request.principal == .unknown ? nil : request.principal
        guard let type = MessageHeader.type(ofDamaged: request.bytes), !type.isRead,
            !untaken.hasRoom(for: request.peer, of: holder)
        else { return false }
        try sendBusy(to: request.peer, insteadOf: request.bytes)
        return true
    }

    private mutating func skipRest(at index: Int) throws {
        while ring.hasMore(at: index), try ring.receive(at: index, from: socket) {}
        dropped.malformed += 1
    }

    /// Sends the replies and hands the effects over.
    private mutating func perform() throws {
        if disk != nil { performDisk() }
        if !replies.entries.isEmpty {
            let mayClaimFresh = core.mayClaimFresh(now: MonotonicClock.now)
            for entry in replies.entries {
                switch entry.fate(mayClaimFresh: mayClaimFresh) {
                case .reply: try send(entry)
                case .nothing: dropped.lapsed += 1
                case .busy:
                    dropped.lapsed += 1
                    try sendRefusal(
                        Self.lapsed, to: entry.peer, insteadOf: replies.bytes(of: entry))
                }
            }
            replies.removeAll()
        }
        // Before the publisher hears that a record was applied: then other nodes answer.
        tellSlots()
        guard !effects.isEmpty else { return }
        for effect in effects {
            switch effect {
            case .publish(let request): setup.control.post(.publish(request))
            case .askHead(let number):
                setup.control.post(.askHead(shard: setup.options.shardIndex, number: number))
            case .applied(let mark, let isAwaited):
                setup.control.post(
                    .applied(shard: setup.options.shardIndex, mark: mark), rings: isAwaited)
            case .load(let load):
                setup.origin.post(.load(shard: setup.options.shardIndex, load))
            case .hasten(let number):
                setup.origin.post(.hasten(shard: setup.options.shardIndex, number: number))
            case .leavePeer(let number):
                setup.origin.post(.leavePeer(shard: setup.options.shardIndex, number: number))
            case .write(let order): setup.origin.post(.write(order))
            case .askQueue(let number, let question):
                setup.origin.post(
                    .queue(shard: setup.options.shardIndex, number: number, question))
            case .arriving(let moves):
                let shard = Int(setup.options.shardIndex.rawValue)
                setup.warmUp?.post(.arriving(moves.map { WarmUp.Arrival($0, at: shard) }))
            case .pull(let pull):
                guard let warmUp = setup.warmUp else {
                    core.pulled(pull, nil, now: MonotonicClock.now)
                    break
                }
                warmUp.post(.pull(pull, of: Int(setup.options.shardIndex.rawValue)))
            case .gives: setup.control.post(.gives)
            case .drain: setup.control.post(.drain)
            case .drained: setup.control.post(.drained(shard: setup.options.shardIndex))
            }
        }
        effects.removeAll(keepingCapacity: true)
    }

    /// Sends one reply, or drops it if the asker does not take it: it asks again.
    private mutating func send(_ entry: ReplyBuffer.Entry) throws {
        let weight = entry.hasOwnMemory ? entry.count : untaken.weight(ofShort: entry.count)
        let holder = entry.principal == .unknown ? nil : entry.principal
        if weight != nil || untaken.isTight, !untaken.hasRoom(for: entry.peer, of: holder) {
            // Of a write that was done, silence says more truly what its sender can know.
            guard entry.mayBeReplaced else {
                dropped.slow += 1
                return
            }
            return try sendBusy(to: entry.peer, insteadOf: replies.bytes(of: entry))
        }
        let outcome = try entry.peer.withBytes { (peer) throws(ZeroMQError) in
            try socket.send(peer, more: true)
        }
        switch outcome {
        case .sent:
            let bytes = replies.bytes(of: entry)
            guard let weight else { return _ = try socket.send(bytes, more: false) }
            let account = untaken.account(of: entry.peer, of: holder)
            var frame =
                entry.hasOwnMemory
                ? Frame(owning: bytes, in: replies.takeMemory(of: entry), countedIn: account)
                : Frame(copying: bytes, countedIn: account, as: weight)
            _ = try socket.send(&frame, more: false)
        case .wouldBlock: dropped.slow += 1
        case .unreachable: dropped.gone += 1
        }
    }

    /// Tells a peer that does not take its replies to take them first.
    ///
    /// - Parameter message: the request, or what would have been its answer.
    private mutating func sendBusy(
        to peer: PeerID, insteadOf message: UnsafeRawBufferPointer
    ) throws {
        dropped.slow += 1
        let refusal = WireRefusal(
            .busy, "answers to earlier requests have not been taken yet",
            retryAfterMilliseconds: ShardLimits.busyRetryMilliseconds)
        try sendRefusal(refusal, to: peer, insteadOf: message)
    }

    /// The refusal that replaces an answer with a fresh value, if the lease has ended meanwhile.
    private static var lapsed: WireRefusal {
        WireRefusal(
            .busy, "the lease of the node has ended meanwhile; ask again",
            retryAfterMilliseconds: 1)
    }

    private mutating func sendRefusal(
        _ refusal: WireRefusal, to peer: PeerID, insteadOf message: UnsafeRawBufferPointer
    ) throws {
        let requestID = MessageHeader.requestID(ofDamaged: message)
        var writer = ByteWriter()
        refusal.encode(requestID: requestID, into: &writer)
        let outcome = try peer.withBytes { (peer) throws(ZeroMQError) in
            try socket.send(peer, more: true)
        }
        if outcome == .sent { _ = try socket.send(writer.bytes, more: false) }
    }
}
