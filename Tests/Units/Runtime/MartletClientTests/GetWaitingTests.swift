import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire
@testable import MartletClient
import Testing
import Threading

/// Plain gets that wait in their messages: for company, for room, and for how long.
@Suite struct GetWaitingTests {
    private static let full = ClientLimits.operationsPerMessageMax
    private static let windowMax = ClientLimits.getMessagesMax

    @Test func aHeldGetIsSentAfterAMillisecondDespiteFullMessages() async throws {
        let cluster = try ScriptedCluster()
        cluster.shards[0].script.withLock { $0.isHolding = true }
        let driven = try DrivenWorker(cluster)
        defer { driven.end() }
        driven.fillWindow(4)
        let rare = try #require(Namespace("rare"))
        _ = await driven.take(1, in: rare, patience: 60_000)
        try driven.flush(at: 0)
        #expect(driven.waitingCount == 1)
        _ = await driven.take(Self.full, patience: 60_000, at: 0.5)
        try driven.flush(at: 0.5)
        #expect(driven.waitingCount == 1 && driven.expiries.count == 1, "the full one went")
        #expect(driven.connection.holdEnd == DrivenWorker.after(milliseconds: 1))
        try driven.flush(at: 1)
        #expect(driven.waitingCount == 0 && driven.expiries.count == 2)
    }

    @Test func aGetPastItsDeadlineFailsAloneWhileQueued() async throws {
        let driven = try DrivenWorker(ScriptedCluster())
        defer { driven.end() }
        driven.fillWindow(Self.windowMax)
        let impatient = await driven.take(1, patience: 10)
        let patient = await driven.take(2 * Self.full, patience: 60_000)
        try driven.flush(at: 0)
        #expect(driven.waitingCount == 3 && driven.expiries.isEmpty)
        #expect(driven.worker.timer.due == DrivenWorker.after(milliseconds: 10))
        driven.sweep(at: 10)
        let error = await impatient[0].value.error
        #expect(error?.code == .timedOut && error?.mayHaveHappened == false)
        try #require(driven.waitingCount == 3, "nobody else goes another way")
        driven.sweep(at: 30_000)
        #expect(driven.waitingCount == 3 && driven.worker.requests.openCount == 2 * Self.full)
        driven.sweep(at: 60_000)
        #expect(driven.waitingCount == 0 && driven.worker.requests.openCount == 0)
        for task in patient { #expect(await task.value.error?.code == .timedOut) }
    }

    @Test func theReplyTimeoutStartsWhenTheMessageIsSent() async throws {
        let cluster = try ScriptedCluster()
        cluster.shards[0].script.withLock { $0.isHolding = true }
        let driven = try DrivenWorker(cluster)
        defer { driven.end() }
        driven.fillWindow(Self.windowMax)
        _ = await driven.take(1, patience: 60_000)
        try driven.flush(at: 0)
        driven.connection.window.ended()
        driven.sweep(at: 900)
        try driven.flush(at: 900)
        #expect(driven.expiries == [DrivenWorker.after(milliseconds: 1_900)])
    }

    @Test func timedOutGetsAreNotSent() async throws {
        let driven = try DrivenWorker(ScriptedCluster())
        defer { driven.end() }
        driven.fillWindow(Self.windowMax)
        let late = await driven.take(3, patience: 10)
        try driven.flush(at: 0)
        driven.connection.window.ended()
        try driven.flush(at: 20)
        try #require(driven.waitingCount == 0 && driven.expiries.isEmpty)
        for task in late { #expect(await task.value.error?.code == .timedOut) }
    }

    @Test func aMessageWithOnlyCancelledGetsIsNotSent() async throws {
        let driven = try DrivenWorker(ScriptedCluster())
        defer { driven.end() }
        driven.fillWindow(Self.windowMax)
        let cancelled = await driven.take(3, patience: 60_000)
        for ticket in 0..<3 { driven.worker.gets.cancel(ticket: UInt64(ticket)) }
        driven.worker.gets.settleCancelled(at: [driven.connection], in: driven.worker.sender)
        driven.connection.window.ended()
        try driven.flush(at: 20)
        try #require(driven.waitingCount == 0 && driven.expiries.isEmpty)
        for task in cancelled { #expect(await task.value.error?.code == .cancelled) }
    }

    @Test func aGetReturnedPastItsDeadlineFailsAndOthersContinue() async throws {
        let driven = try DrivenWorker(ScriptedCluster())
        driven.fillWindow(Self.windowMax)
        let late = await driven.take(1, patience: 10)
        let early = await driven.take(1, patience: 60_000)
        let now = DrivenWorker.after(milliseconds: 10)
        driven.worker.gets.giveBackAll(of: driven.connection, at: now)
        #expect(await late[0].value.error?.code == .timedOut)
        #expect(await early[0].value.isUntried)
    }

    enum Obstacle: CaseIterable {
        case socket
        case table
    }

    /// What is held would be due at once otherwise, and the loop would not sleep again.
    @Test(arguments: Obstacle.allCases)
    func getsThatAreHeldGoBackWhenSomethingElseFindsNoRoom(_ obstacle: Obstacle) async throws {
        let driven = try DrivenWorker(
            ScriptedCluster(), isReachable: obstacle == .table, inFlightMax: 1)
        defer { driven.end() }
        if obstacle == .table {
            driven.connection.isAskedForTopology = true
            try driven.flush(at: 0)
            try #require(driven.expiries.count == 1)
        }
        driven.fillWindow(ClientLimits.getMessagesAtOnce)
        let held = await driven.take(1, patience: 60_000)
        driven.connection.isAskedForTopology = true
        try driven.flush(at: 0)
        try #require(driven.waitingCount == 0 && driven.connection.holdEnd == nil)
        #expect(await held[0].value.isUntried)
    }

    @Test func anotherTopologyGivesBackWhatWaits() async throws {
        let cluster = try ScriptedCluster()
        let driven = try DrivenWorker(cluster)
        driven.fillWindow(Self.windowMax)
        let waiting = await driven.take(Self.full + 1, patience: 60_000)
        cluster.state.withLock { $0.version = 2 }
        var writer = ByteWriter()
        cluster.report.encode(requestID: 1, into: &writer)
        let message = try MessageView(decoding: writer.bytes)
        driven.worker.requests.answeredHunt(
            message, from: driven.connection, at: DrivenWorker.after(milliseconds: 0))
        #expect(driven.worker.requests.topology?.version == 2 && driven.waitingCount == 0)
        for task in waiting { #expect(await task.value.isUntried) }
    }
}
