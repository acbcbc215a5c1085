import CacheWire
import Testing

@testable import PublisherServer

@Suite struct TopicWatchTests {
    private var watch = TopicWatch()

    /// - Parameter first: 1 subscribes, 0 says that nobody wants the topic any more.
    private mutating func note(
        _ topic: String, by key: UInt32?, _ first: UInt8 = 1
    ) -> TopicWatch.Verdict {
        ([first] + Array(topic.utf8)).withUnsafeBytes { watch.note($0, by: key) }
    }

    @Test mutating func topicsCountOnlyAgainstTheCredentialThatSubscribed() {
        for number in 0..<PublisherServerLimits.strangeTopicsMax {
            #expect(note("made-up-\(number)", by: 1) == .fine)
        }
        #expect(note("one of another's", by: 2) == .fine)
        #expect(note("made-up-0", by: 1) == .fine)
        #expect(note("one more", by: 1) == .tooMany(of: 1))
        watch.forget()
        #expect(note("one more", by: 1) == .fine)
    }

    @Test mutating func unsubscribedTopicsDoNotCount() {
        for number in 0..<3 * PublisherServerLimits.strangeTopicsMax {
            #expect(note("made-up-\(number)", by: nil) == .fine)
            // Of a connection that ends libzmq does not say whose it was.
            #expect(note("made-up-\(number)", by: nil, 0) == .fine)
        }
    }

    @Test mutating func ofManyTheOneThatAskedForTheMostIsCutOff() {
        let each = PublisherServerLimits.strangeTopicsMax - 1
        let full = PublisherServerLimits.strangeTopicsTotalMax / each
        for key in 0..<UInt32(full) {
            for number in 0..<each { _ = note("\(key) \(number)", by: key) }
        }
        var verdict = TopicWatch.Verdict.fine
        var number = 0
        while verdict == .fine, number < each {
            verdict = note("innocent \(number)", by: 99)
            number += 1
        }
        guard case .tooMany(let key) = verdict else {
            Issue.record("all of them together are never too many")
            return
        }
        #expect(key != 99)
    }
}
