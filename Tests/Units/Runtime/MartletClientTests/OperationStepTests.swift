import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire
@testable import MartletClient
import Testing

/// What becomes of one operation, without a node or a thread.
@Suite struct OperationStepTests {
    private static let start = Instant(nanoseconds: 1_000_000_000_000)
    private static let key = Sample.key("a")

    private static func after(milliseconds: Int64) -> Instant {
        start.advanced(by: .milliseconds(milliseconds))
    }

    private func operation(
        _ type: MessageType, wantsToken: Bool = false, patience: Int64 = 10_000
    ) -> OperationReference {
        let request = DataRequest(
            Envelope(type: type, namespace: .default), placement: .routed,
            deadline: Self.after(milliseconds: patience),
            operations: [
                DataRequest.Operation(of: Self.key, in: .default) { key, writer in
                    GetOperation.append(key: key, options: [.token], part: nil, to: &writer)
                }
            ])
        request.wantsToken = wantsToken
        return OperationReference(request: request, index: 0)
    }

    private func answer(
        _ status: ResultStatus, token: FillToken? = nil
    ) throws -> OperationAnswer {
        var writer = ByteWriter()
        OperationResult.append(status, to: &writer)
        OperationResult.finishFields(from: 0, in: &writer)
        let proof = Proof(
            position: .none, state: .live, leaseLeftMilliseconds: 1_000, topologyVersion: 1)
        return try writer.array.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            var answer = try OperationAnswer(
                OperationResult(decoding: &reader), proof: proof, node: Sample.node("n0"))
            answer.fields.token = token
            return answer
        }
    }

    private func token(_ nonce: UInt64) -> FillToken {
        FillToken(position: .none, incarnation: .none, nonce: nonce)
    }

    @Test(arguments: [ResultStatus.hit, .miss, .stale])
    func aResultSettlesARead(_ status: ResultStatus) throws {
        let step = operation(.get).step(after: try answer(status), at: Self.start)
        guard case .settle(.answered(let answer)) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(answer.status == status)
    }

    @Test func aBusyNodeIsAskedAgainUntilTheDeadlineAndThenItsAnswerCounts() throws {
        let read = operation(.get, patience: 100)
        guard case .delay = read.step(after: try answer(.busy), at: Self.start) else {
            Issue.record("it is retried after a pause")
            return
        }
        let last = read.step(after: try answer(.busy), at: Self.after(milliseconds: 100))
        guard case .settle(.answered(let answer)) = last else {
            Issue.record("\(last)")
            return
        }
        #expect(answer.status == .busy)
    }

    @Test func silenceLeavesAWriteInDoubtAndSendsAReadElsewhere() throws {
        let cluster = try ScriptedCluster()
        let driven = try DrivenWorker(cluster, isReachable: false)
        let read = operation(.get)
        guard case .route = read.step(afterSilenceOf: driven.connection, at: Self.start) else {
            Issue.record("a read is sent again")
            return
        }
        #expect(read.request.progress[0].avoided == driven.connection.node)
        let write = operation(.set).step(afterSilenceOf: driven.connection, at: Self.start)
        guard case .settle(.failed(let error)) = write else {
            Issue.record("a store is not sent again")
            return
        }
        #expect(error.code == .timedOut && error.mayHaveHappened)
    }

    @Test func aRefusalThatPassesIsWaitedForAndAnyOtherIsFinal() {
        let read = operation(.get)
        let busy = read.step(
            after: CacheError(.busy, "full"), .milliseconds(50), by: nil, at: Self.start)
        guard case .delay(let due) = busy, due > Self.start else {
            Issue.record("\(busy)")
            return
        }
        let other = read.step(
            after: CacheError(.unauthorised, "no"), nil, by: nil, at: Self.start)
        guard case .settle(.failed(let error)) = other else {
            Issue.record("\(other)")
            return
        }
        #expect(error.code == .unauthorised)
    }

    @Test func aLeaseThatNoLoadNeedsIsGivenBackByAStoreOfItsKey() throws {
        let load = operation(.get, wantsToken: true)
        load.request.wasSent(to: Sample.node("n0"), 0)
        let late = try answer(.miss, token: token(1))
        #expect(load.leaseLeft(in: late) == nil, "that node is still being asked")
        load.request.settle(0, .answered(try answer(.miss, token: token(2))))
        guard case .leftOver = load.step(after: late, at: Self.start) else {
            Issue.record("it is settled")
            return
        }
        let left = try #require(load.leaseLeft(in: late))
        #expect(try load.leaseLeft(in: answer(.miss, token: token(2))) == nil, "the load uses it")
        let request = try #require(
            load.returning(left, to: late.node, deadline: Self.after(milliseconds: 10)))
        #expect(request.isWrite && request.operations[0].route == load.operation.route)
    }
}
