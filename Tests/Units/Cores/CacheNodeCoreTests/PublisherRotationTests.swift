import CacheModel
import Testing

@testable import CacheNodeCore

/// Which of several publishers is addressed next, and when.
@Suite struct PublisherRotationTests {
    private static func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: 1_000_000_000).advanced(by: .milliseconds(milliseconds))
    }

    private static func rotation(_ names: [String] = ["a", "b", "c"]) -> PublisherRotation {
        PublisherRotation(names.map { PublisherAddress(control: $0) }, seed: 7)
    }

    @Test func onePublisherWhoseLiveEndpointIsKnownIsNotSeveral() {
        #expect(!PublisherRotation([], seed: 1).areSeveral)
        let known = PublisherAddress(control: "a", live: "l")
        #expect(!PublisherRotation([known], seed: 1).areSeveral)
        #expect(Self.rotation(["a"]).areSeveral, "its live endpoint comes with its WELCOME")
        #expect(PublisherRotation([known, known], seed: 1).areSeveral)
    }

    @Test func theOnlyOneThatDoesNotLeadHasOthersBesideIt() {
        var rotation = PublisherRotation([PublisherAddress(control: "a", live: "l")], seed: 1)
        _ = rotation.leave(.notLeading(leader: "x"), now: Self.at(0))
        #expect(rotation.areSeveral && rotation.present == "x")
        _ = rotation.leave(.unanswered, now: Self.at(500))
        #expect(rotation.present == "a")
        _ = rotation.leave(.unanswered, now: Self.at(1_000))
        #expect(rotation.present == "a", "there is no other to ask")
    }

    @Test func theListIsTakenInTurnAndFromTheOneThatLed() {
        var rotation = Self.rotation()
        var asked: [String] = []
        for step in 0..<4 {
            _ = rotation.leave(.unanswered, now: Self.at(Int64(step) * 500))
            asked.append(rotation.present)
        }
        #expect(asked == ["b", "c", "a", "b"])
        _ = rotation.leave(.notLeading(leader: "c"), now: Self.at(3_000))
        _ = rotation.welcomed()
        _ = rotation.leave(.farewell, now: Self.at(4_000))
        #expect(rotation.present == "a", "after c")
    }

    /// Names alone would send it to and fro for ever, and a third publisher may lead.
    @Test func twoThatNameEachOtherAreLeftForTheNextOfTheList() {
        var rotation = Self.rotation()
        var asked: [String] = []
        for step in 0..<6 {
            let other = rotation.present == "a" ? "b" : "a"
            _ = rotation.leave(.notLeading(leader: other), now: Self.at(Int64(step) * 500))
            asked.append(rotation.present)
            if rotation.present == "c" { break }
        }
        #expect(asked == ["b", "a", "b", "a", "b", "c"])
    }

    @Test(arguments: ["", "a"])
    func aNameThatLeadsNowhereIsTheNextAfterAPause(name: String) {
        var rotation = Self.rotation()
        let due = rotation.leave(.notLeading(leader: name), now: Self.at(0))
        #expect(rotation.present == "b")
        #expect(due >= Self.at(0).advanced(by: NodeControlLimits.leaderlessPause * 74 / 100))
        #expect(due <= Self.at(0).advanced(by: NodeControlLimits.leaderlessPause))
    }

    @Test func aNameASilentOneAndAFarewellAreFollowedAtOnce() {
        for cause in [PublisherRotation.Cause.notLeading(leader: "x"), .unanswered, .farewell] {
            var rotation = Self.rotation()
            #expect(rotation.leave(cause, now: Self.at(0)) == Self.at(0))
        }
        var rotation = Self.rotation()
        #expect(rotation.leave(.unusable(reason: ""), now: Self.at(0)) > Self.at(0))
    }

    /// Whatever the answers are, and however soon they come.
    @Test(arguments: [0, 7, 40, 99])
    func greetingsStayWithinTheRate(delay: Int64) {
        var rotation = Self.rotation(["a", "b"])
        var now = Self.at(0)
        var moments: [Instant] = []
        for step in 0..<200 {
            let other = rotation.present == "a" ? "b" : "a"
            let cause: PublisherRotation.Cause =
                step % 3 == 0 ? .farewell : .notLeading(leader: other)
            now = rotation.leave(cause, now: now)
            moments.append(now)
            now = now.advanced(by: .milliseconds(delay))
        }
        expectWithinRate(moments)
        #expect(moments[2] == Self.at(2 * delay), "the first ones are not delayed")
    }

    @Test func eachRoundOfTheListDoublesThePatience() {
        var rotation = Self.rotation(["a", "b"])
        var waits: [Duration] = []
        for step in 0..<7 {
            waits.append(rotation.patience)
            _ = rotation.leave(.unanswered, now: Self.at(Int64(step) * 1_000))
        }
        #expect(waits == [250, 250, 500, 500, 1_000, 1_000, 1_000].map { .milliseconds($0) })
        _ = rotation.welcomed()
        #expect(rotation.patience == NodeControlLimits.helloWaitMin)
    }

    @Test func publishersThatAreSilentAgainAreNoLongerCalledLeaderless() {
        var rotation = Self.rotation(["a", "b"])
        var states = [rotation.isLeaderless]
        for cause in [PublisherRotation.Cause.unanswered, .notLeading(leader: "")] {
            _ = rotation.leave(cause, now: Self.at(0))
            states.append(rotation.isLeaderless)
        }
        for _ in 0..<3 {
            _ = rotation.leave(.unanswered, now: Self.at(0))
            states.append(rotation.isLeaderless)
        }
        #expect(states == [false, false, true, true, true, false])
        _ = rotation.leave(.farewell, now: Self.at(0))
        #expect(rotation.isLeaderless)
        _ = rotation.welcomed()
        #expect(!rotation.isLeaderless)
    }

    @Test func eachIsReportedOnceBetweenTwoWelcomes() {
        var rotation = Self.rotation(["a", "b"])
        var reports: [Bool] = []
        for _ in 0..<4 {
            reports.append(rotation.report(.notLeading(leader: "x")) != nil)
            _ = rotation.leave(.notLeading(leader: ""), now: Self.at(0))
        }
        #expect(reports == [true, true, false, false])
        let changes = [
            rotation.welcomed(), rotation.welcomed(), rotation.report(.farewell) != nil,
            rotation.welcomed(),
        ]
        #expect(changes == [true, false, true, true], "it led, did not lead, and leads")
    }

    @Test func aPublisherThatNamesItselfIsReportedWithoutALeader() {
        var rotation = Self.rotation()
        #expect(
            rotation.report(.notLeading(leader: "a"))
                == .publisherDoesNotLead(endpoint: "a", leader: ""))
        #expect(rotation.report(.unanswered) == nil)
        #expect(
            rotation.report(.silent(for: .seconds(2))) == .lostPublisher(silence: .seconds(2)))
    }

    @Test func namesThatComeFromOutsideAreNotRememberedWithoutBound() {
        var rotation = Self.rotation(["a"])
        var count = 0
        for number in 0..<100 {
            if rotation.report(.farewell) != nil { count += 1 }
            _ = rotation.leave(.notLeading(leader: "x\(number)"), now: Self.at(0))
        }
        #expect(count <= NodeControlLimits.publishersReportedMax)
    }
}

/// A few at once, and then one for each spacing.
func expectWithinRate(
    _ moments: [Instant], sourceLocation: SourceLocation = #_sourceLocation
) {
    let burst = NodeControlLimits.hellosAtOnceMax
    for (index, moment) in moments.enumerated() where index >= burst {
        for first in max(0, index - 30)...(index - burst) {
            let least = NodeControlLimits.helloSpacing * (index - first + 1 - burst)
            guard moment.elapsed(since: moments[first]) < least else { continue }
            Issue.record(
                "\(index - first + 1) HELLOs within \(moment.elapsed(since: moments[first]))",
                sourceLocation: sourceLocation)
            return
        }
    }
}
