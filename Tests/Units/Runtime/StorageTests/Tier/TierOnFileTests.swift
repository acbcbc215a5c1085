import CacheDisk
import Storage
import Foundation
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The machine and the file together, as a shard has them.
@Suite struct TierOnFileTests {
    @Test func aTierThatWasEndedInOrderIsWholeAgain() throws {
        let bench = try FileBench.large(segmentCount: 8)
        let first = try TierOnFile(bench.path, bench.geometry)
        #expect(first.cause == .first)
        for number in 0..<5_000 {
            let cause = first.set("key \(number)", "value \(number)")
            #expect(cause == nil)
            first.turn()
        }
        try first.close()
        let second = try TierOnFile(bench.path, bench.geometry)
        #expect(second.cause == nil && second.tier.entryCount == 5_000)
        for number in stride(from: 0, to: 5_000, by: 97) {
            #expect(try second.get("key \(number)") == "value \(number)")
        }
        try second.close()
    }

    @Test func aCopyOfAFileBeginsAnew() throws {
        let bench = try FileBench.large(segmentCount: 4)
        let first = try TierOnFile(bench.path, bench.geometry)
        _ = first.set("a", "one")
        try first.close()
        let copy = FileStorage.path(in: bench.directory, shard: 0)
        try FileManager.default.copyItem(atPath: bench.path, toPath: copy)
        let second = try TierOnFile(copy, bench.geometry)
        #expect(second.cause == .copied && second.tier.entryCount == 0)
        try second.close()
    }

    /// Twelve lives, each ended by SIGKILL from another thread while it stores and removes. The
    /// number of the last operation that was acknowledged lies in a file beside the tier.
    @Test(arguments: 1..<3)
    func whatWasAcknowledgedOutlivesKillsAndNothingComesBack(seed: Int) async throws {
        let bench = try FileBench.large(segmentCount: 24)
        let load = ToldLoad(seed: UInt64(seed))
        let told = bench.directory + "/told"
        var done = 0
        var (before, advanced) = ([String: String](), 0)
        for life in 0..<12 {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    path = bench.path as String, told = told as String, seed, life = life as Int,
                    done = done as Int
                ] in
                try Self.live(path, told: told, seed: seed, life: life, from: done)
            }
            let bytes = try Data(contentsOf: URL(fileURLWithPath: told))
            done = Int(bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
            let tier = try TierOnFile(bench.path, bench.geometry)
            #expect(tier.cause == nil, "life \(life)")
            try #require(done >= advanced, "life \(life)")
            load.advance(&before, over: advanced..<done)
            var after = before
            load.advance(&after, over: done..<done + 1)
            for number in 0..<300 {
                let key = "key \(number)"
                let value = try tier.get(key)
                if value == before[key] || value == after[key] { continue }
                Issue.record("life \(life), \(done) operations, \(key): \(value ?? "nothing")")
            }
            advanced = done
            // What was under way when it was killed is done again.
            if case .set(let key, let value) = load.operation(done) {
                _ = tier.set(key, value)
            } else if case .remove(let key) = load.operation(done) {
                tier.remove(key)
            }
            done += 1
            tier.turn()
            tier.storage.close()
        }
        #expect(done > 500, "\(done) operations in twelve lives")
    }

    /// Runs until it is killed, or has done enough.
    private static func live(
        _ path: String, told: String, seed: Int, life: Int, from: Int
    ) throws {
        let bench = try #require(
            DiskGeometry(
                checkpointBytes: 4_096, tailBytes: 1 << 20, segmentBytes: 1 << 20,
                segmentCount: 24))
        let tier = try TierOnFile(path, bench)
        let file = open(told, O_RDWR | O_CREAT, 0o600)
        try #require(file >= 0)
        var number = UInt64(from)
        pwrite(file, &number, 8, 0)
        // At a moment that has nothing to do with what is being done then.
        let moment =
            ContinuousClock.now
            + .microseconds(2_000 + (life * 7_919 + seed * 104_729) % 40_000)
        let killer = Thread {
            while ContinuousClock.now < moment {}
            kill(getpid(), SIGKILL)
        }
        killer.start()
        let load = ToldLoad(seed: UInt64(seed))
        while number < UInt64(from + 4_000) {
            switch load.operation(Int(number)) {
            case .set(let key, let value): _ = tier.set(key, value)
            case .remove(let key): tier.remove(key)
            }
            number += 1
            pwrite(file, &number, 8, 0)
            if number % 8 == 0 { tier.turn() }
        }
        while true { pause() }
    }
}
