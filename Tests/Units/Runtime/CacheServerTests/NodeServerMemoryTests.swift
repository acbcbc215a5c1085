import TestSupport

#if os(Linux)
    import CacheConfiguration
    import Testing

    @testable import CacheServer

    private let mebibyte = 1 << 20

    /// A real node – its threads, sockets and shards – under a kernel of files that a test writes.
    @Suite struct NodeServerMemoryTests {
        @Test func aNodeShrinksUnderPressureAndSaysSo() throws {
            let tree = try KernelTree.container(limit: "\(400 * mebibyte)", used: 20 * mebibyte)
            let log = LinesLogged()
            let node = try RunningNode(tree, memory: 256 * mebibyte, shards: 2, log: log)
            defer { node.stop() }
            try node.fill(bytes: 100 * mebibyte)
            let full = try node.figures()
            let entries = full["entries"] ?? 0
            #expect(full["memory_budget_bytes"] == UInt64(256 * mebibyte))
            #expect(full["memory_pressure_shrinks"] == 0)
            let inUse = Int(full["memory_bytes"] ?? 0)
            #expect(inUse > 95 * mebibyte)

            // Somebody else takes 300 MiB: of 360 there are 60 left for entries.
            try tree.setGroup("", limit: "\(400 * mebibyte)", used: inUse + 300 * mebibyte)
            let allowed = UInt64(60 * mebibyte)
            try node.wait("the entries to be fewer") {
                ($0["memory_bytes"] ?? .max) <= allowed
            }
            let after = try node.figures()
            #expect((after["entries"] ?? 0) < entries * 7 / 10)
            #expect((after["memory_budget_bytes"] ?? 0) <= allowed)
            #expect((after["memory_pressure_shrinks"] ?? 0) >= 2)
            #expect((after["removed_evicted"] ?? 0) == entries - (after["entries"] ?? 0))
            let lines = log.lines.filter { $0.contains("the memory budget shrinks from 256MiB") }
            try #require(lines.count == 1, "\(log.lines)")
            // No more than had to went at once. What this kernel's files say is in use does not
            // follow what the node gives back, so that a second look takes more.
            let budgets = (48...60).map { "from 256MiB to \($0)MiB:" }
            #expect(budgets.contains { lines[0].contains($0) }, "\(lines)")
        }

        @Test func aLimitBelowTheConfiguredMemoryIsWarnedOfAtTheStart() throws {
            let tree = try KernelTree.container(limit: "\(2 << 30)", used: 20 * mebibyte)
            let log = LinesLogged()
            let node = try RunningNode(tree, memory: 4 << 30, shards: 1, log: log)
            defer { node.stop() }
            try node.wait("a smaller budget") { ($0["memory_budget_bytes"] ?? 0) < 2 << 30 }
            #expect(
                log.lines.contains(
                    "warning memory 4GiB is more than the cgroup's limit of 2GiB; using "
                        + "1823MiB: lower --memory or raise the limit"), "\(log.lines)")
        }

        @Test func aNodeThatIgnoresPressureKeepsItsMemory() throws {
            let tree = try KernelTree.container(limit: "\(100 * mebibyte)", used: 99 * mebibyte)
            let log = LinesLogged()
            let node = try RunningNode(tree, memory: 256 * mebibyte, shards: 1, log: log) {
                $0.memoryPressure = .ignore
            }
            defer { node.stop() }
            try node.fill(bytes: mebibyte)
            #expect(try node.figures()["memory_budget_bytes"] == UInt64(256 * mebibyte))
            #expect(!log.lines.contains { $0.contains("memory") })
        }

        @Test func whereNothingCanBeReadOneLineSaysSo() throws {
            let log = LinesLogged()
            let node = try RunningNode(
                try KernelTree(), memory: 256 * mebibyte, shards: 1, log: log)
            defer { node.stop() }
            try log.wait(for: "debug memory pressure is not watched")
            #expect(log.lines.filter { $0.contains("memory pressure") }.count == 1)
        }
    }
#endif
