import CacheConfiguration
import CacheWorkload

/// A file of phases: what is taken can be run, and asks for keys that there are.
///
///     threads 1, text
enum WorkloadFuzz: FuzzTarget {
    static let name = "workload"

    /// What it takes to draw from more keys than these says nothing of a file.
    private static let keysMax = 20_000

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        var file = WorkloadFile()
        file.threadCount = 1 + script.below(4)
        do throws(ConfigurationErrors) {
            let workload = try file.parse(script.restCopied(), fileName: "f")
            let problems = workload.problems(threadCount: file.threadCount)
            check(problems.isEmpty, "what is taken can be run")
            for index in workload.phases.indices { run(workload, index, file.threadCount) }
        } catch {
            for problem in error.problems {
                check(problem.fileName == "f" && problem.place >= .start, "a problem has a place")
                check(!problem.sentence.isEmpty, "a problem can be said")
            }
        }
    }

    private static func run(_ workload: Workload, _ index: Int, _ threadCount: Int) {
        let phase = workload.phases[index]
        guard phase.keyCount <= keysMax else { return }
        let share = ThreadShare(thread: threadCount - 1, of: threadCount)
        var stream = RequestStream(phase, part: share.keys, seed: workload.seed(of: index))
        let inserts = phase.effectiveMix.parts.contains { $0.kind == .insert }
        let end = phase.keyCount + (inserts ? 16 * threadCount : 0)
        for _ in 0..<16 {
            let request = stream.next()
            let keys = WorkloadLimits.keyBytes
            check(keys.contains(request.keyBytes), "keys are as long as they may be")
            check(request.key >= 0 && request.keyCount > 0, "a request is for keys")
            let last = request.key + request.keyStep * (request.keyCount - 1)
            check(last < end, "a request is for keys that there are")
            check(
                WorkloadLimits.valueBytes.contains(request.valueBytes),
                "values are as long as they may be")
        }
    }
}
