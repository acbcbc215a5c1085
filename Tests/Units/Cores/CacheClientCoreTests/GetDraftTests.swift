import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire
import Testing

@Suite struct GetDraftTests {
    private static let now = Instant(nanoseconds: 1_000_000_000)
    private static let late = now.advanced(by: .seconds(60))

    private func head(
        _ namespace: Namespace = .default, _ atLeast: LogPosition? = nil
    ) -> GetDraft.Head {
        GetDraft.Head(namespace, atLeast: atLeast, topologyVersion: 7)
    }

    @Test func aMessageSaysWhatItsGetsShareAndEachOfTheirKeys() throws {
        let images = try #require(Namespace("images"))
        let position = try #require(LogPosition("3:9"))
        var draft = GetDraft()
        // What was in it before leaves no trace.
        draft.begin(head(), at: Self.now)
        draft.append(key: [9, 9], options: [], deadline: Self.late)
        draft.begin(head(images, position), at: Self.now)
        draft.append(key: [1], options: [], deadline: Self.late)
        draft.append(key: [2, 3], options: .allowStale, deadline: Self.late)
        let message = try MessageView(decoding: draft.finish(requestID: 42, at: Self.now))
        #expect(message.type == .get && message.count == 2 && message.requestID == 42)
        #expect(message.fields.namespace.map { [UInt8]($0) } == Array("images".utf8))
        #expect(message.fields.atLeast == position && message.fields.topologyVersion == 7)
        var reader = ByteReader(message.body)
        let first = try GetOperation(decoding: &reader)
        let second = try GetOperation(decoding: &reader)
        #expect([UInt8](first.key) == [1] && first.options == [])
        #expect([UInt8](second.key) == [2, 3] && second.options == .allowStale)
        try reader.expectEnd()
    }

    @Test func anAttemptLastsUntilTheEarliestDeadlineOrTheAttemptTimeout() throws {
        var draft = GetDraft()
        draft.begin(head(), at: Self.now)
        draft.append(key: [1], options: [], deadline: Self.late)
        let attemptEnd = draft.attemptEnd(from: Self.now)
        #expect(attemptEnd == Self.now.advanced(by: ClientLimits.attemptTimeout))
        draft.append(key: [2], options: [], deadline: Self.now.advanced(by: .milliseconds(100)))
        draft.append(key: [3], options: [], deadline: Self.late)
        let soonest = draft.attemptEnd(from: Self.now)
        #expect(soonest == Self.now.advanced(by: .milliseconds(100)))
        let message = try MessageView(decoding: draft.finish(requestID: 1, at: Self.now))
        #expect(
            message.fields.deadlineMilliseconds
                == RetrySchedule.keepingMilliseconds(patience: .milliseconds(100)))
    }

    @Test func theTimeItWaitedForRoomIsNotTakenFromItsAnswer() throws {
        var draft = GetDraft()
        draft.begin(head(), at: Self.now)
        draft.append(key: [1], options: [], deadline: Self.late)
        let sentAt = Self.now.advanced(by: .milliseconds(900))
        let attemptEnd = draft.attemptEnd(from: sentAt)
        #expect(attemptEnd == sentAt.advanced(by: ClientLimits.attemptTimeout))
        let message = try MessageView(decoding: draft.finish(requestID: 1, at: sentAt))
        #expect(
            message.fields.deadlineMilliseconds
                == RetrySchedule.keepingMilliseconds(patience: ClientLimits.attemptTimeout))
    }

    @Test func anEndedRequestNoLongerShortensTheDraft() {
        var draft = GetDraft()
        draft.begin(head(), at: Self.now)
        draft.append(key: [1], options: [], deadline: Self.now.advanced(by: .milliseconds(10)))
        draft.append(key: [2], options: [], deadline: Self.late)
        draft.lasts(until: Self.late)
        let sentAt = Self.now.advanced(by: .milliseconds(20))
        let attemptEnd = draft.attemptEnd(from: sentAt)
        #expect(attemptEnd == sentAt.advanced(by: ClientLimits.attemptTimeout))
        draft.begin(head(), at: sentAt)
        let deadline = draft.deadline
        #expect(deadline == Instant(nanoseconds: .max), "nothing is left of what was in it before")
    }

    private func takes(
        _ draft: borrowing GetDraft, _ namespace: Namespace, _ atLeast: LogPosition?,
        _ version: UInt32
    ) -> Bool {
        draft.takes(namespace, atLeast, topologyVersion: version)
    }

    @Test func onlyGetsThatAskForTheSameShareIt() throws {
        let images = try #require(Namespace("images"))
        var draft = GetDraft()
        let beforeAnything = takes(draft, .default, nil, 7)
        #expect(!beforeAnything, "it was never begun")
        draft.begin(head(), at: Self.now)
        let same = takes(draft, .default, nil, 7)
        #expect(same)
        let otherNamespace = takes(draft, images, nil, 7)
        #expect(!otherNamespace)
        let otherPosition = takes(draft, .default, LogPosition("1:1"), 7)
        #expect(!otherPosition)
        let otherTopology = takes(draft, .default, nil, 8)
        #expect(!otherTopology)
    }

    @Test func itIsFullByTheNumberOfItsGets() {
        var draft = GetDraft()
        draft.begin(head(), at: Self.now)
        let longest = [UInt8](repeating: 1, count: CacheKey.bytesMax)
        for _ in 0..<ClientLimits.operationsPerMessageMax {
            let isFull = draft.isFull
            #expect(!isFull)
            draft.append(key: longest, options: [], deadline: Self.late)
        }
        let isFull = draft.isFull
        #expect(isFull)
        let bytes = draft.finish(requestID: 1, at: Self.now)
        #expect(bytes.count <= 1 << 20, "it fits a frame")
    }

    @Test func aMessageNamesTheClusterThatItIsFor() throws {
        var draft = GetDraft()
        draft.begin(
            GetDraft.Head(.default, atLeast: nil, topologyVersion: 7, cluster: ClusterID(0xA)),
            at: Self.now)
        draft.append(key: [1], options: [], deadline: Self.late)
        let message = try MessageView(decoding: draft.finish(requestID: 42, at: Self.now))
        #expect(message.fields.cluster == ClusterID(0xA) && message.count == 1)
    }
}
