import ByteCoding
import CacheHTTP
import CacheModel
import Logging
import MartletClient

/// Executes orders: sends HTTP requests to the cluster with the gateway's one client, and returns
/// the answers.
struct OrderExecutor: Sendable {
    var client: CacheClient
    var room: ReadRoom
    /// Whether clients are asked for tokens: a value is for the client that read it only.
    var isPrivate: Bool
    /// `nil`: every read goes to a node.
    var near: SharedNearCache?
    /// Time limit for a process of the cluster to report its status.
    var lookTime = GatewayLimits.lookTimeMax
    var meter: GatewayMeter

    func read(_ order: ReadOrder) async throws(CacheError) -> Answer {
        if let value = near?.value(for: order) { return answer(order, value) }
        let ticket = near?.ticket(for: order)
        meter.asks(for: .get)
        let found: FoundValue
        switch try await look(for: order) {
        case .found(let value): found = value
        case .offer(let offer): return order.absence(offer)
        case .nothing: return order.absence
        }
        if let ticket { near?.keep(found, for: order, since: ticket) }
        return answer(order, found)
    }

    private func look(for order: ReadOrder) async throws(CacheError) -> LookedUp {
        guard order.terms.wantsRight else {
            let before = client.clusterID
            let value = try await client.get(
                order.key, in: order.namespace, options: ReadOptions(order.terms))
            let cluster = client.clusterID(since: before)
            return value.map { .found(FoundValue($0, of: cluster)) } ?? .nothing
        }
        return try await look(for: [order.key], order.namespace, order.terms)[0].get()
    }

    /// Requests values from the cluster, and the right to fill missing ones if wanted.
    private func look(
        for keys: [CacheKey], _ namespace: Namespace, _ terms: ReadTerms
    ) async -> [Result<LookedUp, CacheError>] {
        let options = ReadOptions(terms)
        let before = client.clusterID
        guard terms.wantsRight else {
            let results = await client.results(for: keys, in: namespace, options: options)
            let cluster = client.clusterID(since: before)
            return results.map { result in
                result.map { $0.map { .found(FoundValue($0, of: cluster)) } ?? .nothing }
            }
        }
        let findings = await client.find(keys, in: namespace, options: options)
        let cluster = client.clusterID(since: before)
        return findings.map { result in result.map { LookedUp($0, of: cluster) } }
    }

    /// The answer if there is a value.
    func answer(_ order: ReadOrder, _ value: FoundValue) -> Answer {
        order.answer(value, isPrivate: isPrivate)
    }

    /// The current value, for a condition: valid at this moment, and possibly no longer when the
    /// condition is used.
    private func current(
        _ key: CacheKey, _ namespace: Namespace
    ) async throws -> EntityTag? {
        meter.asks(for: .get)
        var options = ReadOptions()
        options.wantsDetails = true
        options.policy = .cacheOnly
        options.trace = RequestTrace.forReads
        let held = try await room.around([key], namespace) { [options] in
            let value = try await client.get(key, in: namespace, options: options)
            let tag = value.map { EntityTag(of: FoundValue($0, of: .none)) }
            return (tag, [value?.bytes.count ?? 0])
        }
        room.budget.giveBack(held.bytes)
        return held.found
    }

    func store(_ order: StoreOrder, _ value: [UInt8]) async throws -> StoredValue {
        try await near.changing([Scope(.key(order.key, in: order.namespace))]) {
            try await storing(order, value)
        }
    }

    private func storing(_ order: StoreOrder, _ value: [UInt8]) async throws -> StoredValue {
        if order.conditions.isThere {
            try order.conditions.check(await current(order.key, order.namespace))
        }
        var options = StoreOptions()
        switch order.lifetime {
        case .namespaceDefault: options.lifetime = .namespaceDefault
        case .after(let duration): options.lifetime = .after(duration)
        case .never: options.lifetime = .never
        }
        options.tags = order.tags
        options.version = order.version
        options.etag = order.etag
        options.representation = order.representation
        options.trace = RequestTrace.forChanges
        meter.asks(for: .set)
        let before = client.clusterID
        let result: StoreResult
        if let right = order.right {
            result = try await client.fill(
                StoreItem(order.key, value, options: options), in: order.namespace,
                by: try Self.opened(right))
        } else {
            result = try await client.set(
                order.key, to: value, in: order.namespace, options: options)
        }
        var stored = StoredValue(
            result.position, isFenced: result.isFenced, isQueued: result.isQueued,
            nodes: result.storedOn)
        stored.cluster = client.clusterID(since: before)
        return stored
    }

    private static func opened(_ right: LoadRight) throws(Problem) -> CacheClient.FillRight {
        guard let opened = right.opened else {
            throw Problem(
                .conflict,
                "no node has given this \(LoadRight.field): ask for the key and load it again")
        }
        return CacheClient.FillRight(opened.token, of: opened.node)
    }

    func remove(_ order: RemovalOrder) async throws -> Answer {
        try await near.changing([Scope(.key(order.key, in: order.namespace))]) {
            try await removing(order)
        }
    }

    private func removing(_ order: RemovalOrder) async throws -> Answer {
        if order.conditions.isThere {
            try order.conditions.check(await current(order.key, order.namespace))
        }
        meter.asks(for: .delete)
        let before = client.clusterID
        let position = try await client.delete(
            [order.key], in: order.namespace, trace: RequestTrace.forChanges)
        let place = ClusterPosition(position, of: client.clusterID(since: before))
        return Answer(204, FieldList(["Martlet-Position": "\(place)"]))
    }

    func invalidate(_ order: InvalidationOrder) async throws(CacheError) -> Answer {
        meter.asks(for: order.isDryRun ? .count : .invalidate)
        if order.isDryRun {
            return Answer(try await client.cluster.count(order.scopes), of: order)
        }
        return try await near.changing(order.scopes) { () async throws(CacheError) in
            try await invalidating(order)
        }
    }

    private func invalidating(_ order: InvalidationOrder) async throws(CacheError) -> Answer {
        let before = client.clusterID
        let wait: InvalidationWait =
            switch order.wait {
            case .none: .none
            case .quorum: .quorum
            case .all: .all
            }
        let receipt = try await client.invalidate(
            order.scopes, wait: wait, timeout: order.timeout,
            strength: order.isSoft ? .soft : .hard, trace: RequestTrace.forChanges)
        return ReceiptAnswer(receipt, of: client.clusterID(since: before)).answer(to: order)
    }

    /// Requests a few keys at a time, so that they and the answer bound the memory.
    ///
    /// - Throws: ``ProblemKind/busy`` if there is no space for the values in the answer.
    func batch(_ order: BatchOrder) async throws(Problem) -> GatewayAnswer {
        var batch = HeldBatch(room)
        var rest = order.keys[...]
        while !rest.isEmpty {
            let keys = Array(rest.prefix(Self.batchKeysAtOnce))
            rest = rest.dropFirst(keys.count)
            if batch.isFull {
                batch.add(keys, BatchAnswer.beyond)
            } else {
                try await add(keys, of: order, to: &batch)
            }
        }
        return batch.answer
    }

    private func add(
        _ keys: [CacheKey], of order: BatchOrder, to batch: inout HeldBatch
    ) async throws(Problem) {
        let held: (found: [Result<LookedUp, CacheError>], bytes: Int)
        do {
            held = try await room.around(keys, order.namespace) {
                meter.asks(for: .get, count: keys.count)
                let results = await look(for: keys, order.namespace, order.terms)
                return (results, results.map { Self.length($0) })
            }
        } catch {
            let problem = error as? Problem ?? Problem(.fault, "\(error)")
            meter.refused(problem.kind)
            return batch.add(keys, problem)
        }
        let results = held.found.map { result -> Result<LookedUp, Problem> in
            if case .failure(let error) = result { meter.failed(error) }
            return result.mapError { Problem($0) }
        }
        try batch.add(keys, results, holding: held.bytes)
    }

    private static func length(_ result: Result<LookedUp, CacheError>) -> Int? {
        switch result {
        case .success(.found(let value)): value.bytes.count
        case .success: 0
        case .failure: nil
        }
    }

    /// Stores values, a few at a time, each separately.
    func store(_ batch: StoreBatch) async -> GatewayAnswer {
        var answer = BatchAnswer()
        var rest = batch.items[...]
        while !rest.isEmpty {
            let items = Array(rest.prefix(Self.batchKeysAtOnce))
            rest = rest.dropFirst(items.count)
            let results = await withTaskGroup(
                of: (Int, Result<StoredValue, Problem>).self
            ) { group in
                for (index, item) in items.enumerated() {
                    group.addTask { (index, await result(of: item)) }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            for (index, item) in items.enumerated() {
                switch results[index] {
                case .success(let stored)?: answer.add(item.order.key, stored)
                case .failure(let problem)?: answer.add(item.order.key, problem)
                case nil: preconditionFailure("each of a group's tasks has a result")
                }
            }
        }
        return .whole(answer.answer)
    }

    private func result(of item: StoreBatch.Item) async -> Result<StoredValue, Problem> {
        do {
            let stored = try await store(item.order, item.value)
            room.note(item.order.key, item.order.namespace, bytes: item.value.count)
            return .success(stored)
        } catch let problem as Problem {
            return .failure(problem)
        } catch let error as CacheError {
            meter.failed(error)
            return .failure(Problem(error))
        } catch {
            return .failure(Problem(.fault, "\(error)"))
        }
    }

    private static let batchKeysAtOnce = 10
}
