import CacheHTTP
import CacheModel
import Foundation
import Logging
import MartletClient

/// Carries orders out: what HTTP asked for is asked of the cluster, by the gateway's one client,
/// and what comes back is answered.
struct GatewayDesk: Sendable {
    var client: CacheClient
    /// `nil`: nobody is asked for a token.
    var tokens: TokenDesk?

    /// Who has sent a request.
    ///
    /// - Throws: ``ProblemKind/unauthenticated``.
    func caller(_ head: RequestHead) throws(Problem) -> Caller {
        guard let tokens else { return .anybody }
        guard let token = try BearerToken.read(head.fields) else {
            throw BearerToken.refusal(
                "this gateway wants to know who asks: send Authorization: Bearer and a token")
        }
        return .holder(try tokens.entry(of: token))
    }

    func read(_ order: ReadOrder) async throws(CacheError) -> Answer {
        let found = try await client.get(
            order.key, in: order.namespace, options: ReadOptions(order.terms))
        return found.map { order.answer(FoundValue($0)) } ?? order.absence
    }

    /// What is there now, for a condition: there and then, and not any more when it is acted upon.
    private func current(
        _ key: CacheKey, _ namespace: Namespace
    ) async throws(CacheError) -> EntityTag? {
        var options = ReadOptions()
        options.wantsDetails = true
        options.policy = .cacheOnly
        return try await client.get(key, in: namespace, options: options)
            .map { EntityTag(of: FoundValue($0)) }
    }

    func store(_ order: StoreOrder, _ value: [UInt8]) async throws -> Answer {
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
        let result = try await client.set(
            order.key, to: value, in: order.namespace, options: options)
        var answer = Answer(result.isQueued ? 202 : 204)
        answer.fields.append("Martlet-Position", "\(result.position)")
        answer.fields.append("Martlet-Fenced", result.isFenced ? "?1" : "?0")
        let nodes = result.storedOn.map(\.name).joined(separator: ", ")
        if !nodes.isEmpty { answer.fields.append("Martlet-Stored-On", nodes) }
        return answer
    }

    func remove(_ order: RemovalOrder) async throws -> Answer {
        if order.conditions.isThere {
            try order.conditions.check(await current(order.key, order.namespace))
        }
        let position = try await client.delete([order.key], in: order.namespace)
        return Answer(204, FieldList(["Martlet-Position": "\(position)"]))
    }

    func invalidate(_ order: InvalidationOrder) async throws(CacheError) -> Answer {
        if order.isDryRun {
            return DryRunAnswer(order: order, counts: try await client.count(order.scopes)).answer
        }
        let receipt = try await client.invalidate(
            order.scopes, wait: InvalidationWait(order.wait), timeout: order.timeout,
            strength: order.isSoft ? .soft : .hard)
        return ReceiptAnswer(receipt).answer(to: order)
    }

    /// Asks for a few keys at a time, so that what is held is bounded by them and the answer.
    func batch(_ order: BatchOrder) async -> Answer {
        var batch = BatchAnswer()
        var rest = order.keys[...]
        while !rest.isEmpty {
            let keys = Array(rest.prefix(Self.batchKeysAtOnce))
            rest = rest.dropFirst(keys.count)
            guard !batch.isFull else {
                for key in keys { batch.add(key, BatchAnswer.beyond) }
                continue
            }
            let results = await client.results(
                for: keys, in: order.namespace, options: ReadOptions(order.terms))
            for (key, result) in zip(keys, results) {
                switch result {
                case .success(let value): batch.add(key, value.map { FoundValue($0) })
                case .failure(let error): batch.add(key, Problem(error))
                }
            }
        }
        return batch.answer
    }

    private static let batchKeysAtOnce = 10
}

extension InvalidationWait {
    fileprivate init(_ wait: InvalidationOrder.Wait) {
        self =
            switch wait {
            case .none: .none
            case .quorum: .quorum
            case .all: .all
            }
    }
}
