import CacheModel
import CommandSurface
import Testing

@testable import martlet

@Suite struct TraceCommandTests {
    private func plan(_ line: String) throws -> TracePlan {
        try Sample.command("trace a.csv \(line)", as: TraceCommand.self).plan
    }

    @Test func withoutFlagsTheEnginesPolicyIsReplayed() throws {
        let plan = try plan("")
        #expect(plan.policies == [.adaptive])
        #expect(plan.unit == .objects)
        #expect(plan.shards == 1)
        let usual = try TraceCapacity.list("0.1%,1%,10%,20%")
        #expect(plan.capacities == usual)
    }

    @Test func sizesAndPoliciesAreRepeatedOrListed() throws {
        let plan = try plan("--capacity 1%,2% --capacity 9 --policy sieve,lru --policy sieve")
        let three = try TraceCapacity.list("1%,2%,9")
        #expect(plan.capacities == three)
        #expect(plan.policies == [.sieve, .lru])
        #expect(try self.plan("--policy all").policies == EvictionPolicyName.allCases)
        #expect(try self.plan("--unit bytes --capacity 64MiB").capacities == [.bytes(64 << 20)])
    }

    @Test(arguments: [
        ("trace", "Missing expected argument '<files> ...'"),
        ("trace a --capacity none", "is not a capacity; write a share of the footprint"),
        ("trace a --capacity 0", "\"0\" holds nothing; write a capacity of more than 0"),
        ("trace a --capacity 101%", "\"101%\" is more than everything; write 100% at most"),
        ("trace a --capacity 64MiB", "a capacity in bytes needs --unit bytes"),
        ("trace a --unit pages", "'pages' is invalid for '--unit <unit>'"),
        ("trace a --policy best", "\"best\" is no policy; give adaptive, s3fifo,"),
        ("trace a --shards 0", "--shards is 1 to 1024"),
        ("trace a --curve --capacity 1%", "--curve has its own sizes: it excludes --capacity"),
        ("trace - -", "standard input can be read once"),
    ])
    func wrongUsageIsOneLineAndEndsWith64(line: String, sentence: String) throws {
        let ending = try Sample.ending(line)
        #expect(ending.status == 64)
        #expect(ending.complaint.contains(sentence), "said: \(ending.complaint)")
        #expect(!ending.complaint.contains("\n"))
    }
}
