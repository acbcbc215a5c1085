import CacheClientCore
import CacheModel
import CacheWire
@testable import MartletClient
import Testing

/// Requests to a node that accepts no message: each ends in time, also if nothing else wakes the
/// client.
@Suite struct BlockedConnectionTests {
    private func question(
        to driven: DrivenWorker, patience: Double, at moment: Double
    ) throws -> AdminRequest {
        let request = AdminRequest(
            .endpoint(driven.connection.endpoint),
            .init(.read, deadline: DrivenWorker.after(milliseconds: patience))
        ) { MessageWriter(.topology, requestID: 0, into: &$0).finish(&$0, count: 0) }
        driven.worker.requests.accept(request, at: DrivenWorker.after(milliseconds: moment))
        try driven.flush(at: moment)
        return request
    }

    /// Wakes the worker when it has something to do.
    private func wake(_ worker: ClientWorker) {
        worker.turnBegan = worker.timer.due
        worker.sweep(at: worker.timer.due)
    }

    @Test func aSecondQuestionToItEndsTogetherWithItsPatience() throws {
        let driven = try DrivenWorker(try ScriptedCluster(), isReachable: false)
        let first = try question(to: driven, patience: 300, at: 0)
        #expect(driven.worker.timer.due == DrivenWorker.after(milliseconds: 300))
        wake(driven.worker)
        #expect(first.isSettled)
        let second = try question(to: driven, patience: 5_000, at: 800)
        #expect(driven.worker.timer.due <= DrivenWorker.after(milliseconds: 1_000))
        wake(driven.worker)
        #expect(second.isSettled && driven.connection.isDown)
    }

    @Test func aQuestionEndsAtItsDeadlineBeforeThePatienceDoes() throws {
        let driven = try DrivenWorker(try ScriptedCluster(), isReachable: false)
        for number in [0.0, 1, 2] {
            let request = try question(
                to: driven, patience: number * 300 + 250, at: number * 300)
            #expect(
                driven.worker.timer.due == DrivenWorker.after(milliseconds: number * 300 + 250))
            wake(driven.worker)
            #expect(request.isSettled)
        }
    }

    @Test func anOperationEndsAtItsDeadlineBeforeThePatienceDoes() throws {
        let driven = try DrivenWorker(try ScriptedCluster(), isReachable: false)
        let request = DataRequest(
            Envelope(type: .get, namespace: .default), placement: .routed,
            deadline: DrivenWorker.after(milliseconds: 400),
            operations: [.init(of: Sample.key("k"), in: .default) { _, _ in }])
        driven.worker.requests.accept(request, at: DrivenWorker.after(milliseconds: 0))
        try driven.flush(at: 0)
        #expect(driven.worker.timer.due == DrivenWorker.after(milliseconds: 400))
        wake(driven.worker)
        #expect(request.remaining == 0)
    }
}
