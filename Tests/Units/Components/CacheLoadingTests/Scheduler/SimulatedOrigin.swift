import CacheLoading
import CacheModel

@testable import struct CacheLoading.Jitter

/// An origin that serves some requests at a time at full speed; more share what there is, so that
/// each takes longer, and are in each other's way besides.
struct SimulatedOrigin {
    /// What it does, and how it suffers.
    struct Character: Sendable, CustomStringConvertible {
        var description: String
        /// Served at a time at full speed.
        var atATime = 20
        /// The mean time of one request alone.
        var work = Duration.milliseconds(100)
        /// By how much each request past `atATime` lessens what all get done: 0 is a fair share.
        var friction = 0.0
        /// More than this are sent away at once with a 503.
        var refusesAbove = Int.max
        /// Whether it works on to the end although the asker has gone.
        var ignoresAborts = false

        var perSecond: Double { Double(atATime) / (Double(work.wholeMilliseconds) / 1_000) }
    }

    private struct Job {
        var attempt: AttemptNumber
        var leftMilliseconds: Double
    }

    let character: Character
    private var jobs: [Job] = []
    private var refused: [AttemptNumber] = []
    private var dice: Jitter
    private(set) var mostAtATime = 0

    init(_ character: Character, seed: UInt64) {
        self.character = character
        dice = Jitter(seed: seed)
    }

    var count: Int { jobs.count + refused.count }

    mutating func begin(_ attempt: AttemptNumber) {
        if jobs.count >= character.refusesAbove {
            refused.append(attempt)
        } else {
            // Half of the mean to one and a half of it.
            let work = character.work / 2 + dice.upTo(character.work)
            let milliseconds = Double(work.wholeNanoseconds) / 1_000_000
            jobs.append(Job(attempt: attempt, leftMilliseconds: milliseconds))
        }
        mostAtATime = max(mostAtATime, count)
    }

    /// - Returns: whether it stopped at once.
    mutating func abort(_ attempt: AttemptNumber) -> Bool {
        guard !character.ignoresAborts else { return false }
        jobs.removeAll { $0.attempt == attempt }
        return true
    }

    /// A millisecond passes.
    ///
    /// - Returns: what is finished, with its status.
    mutating func work() -> [(AttemptNumber, Int)] {
        var finished = refused.map { ($0, 503) }
        refused.removeAll()
        let crowd = Double(max(0, jobs.count - character.atATime))
        let share = min(1, Double(character.atATime) / Double(max(1, jobs.count)))
        let speed = share / (1 + crowd * character.friction)
        for index in jobs.indices { jobs[index].leftMilliseconds -= speed }
        finished += jobs.filter { $0.leftMilliseconds <= 0 }.map { ($0.attempt, 200) }
        jobs.removeAll { $0.leftMilliseconds <= 0 }
        return finished
    }
}
