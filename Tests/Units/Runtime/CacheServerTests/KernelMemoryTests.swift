#if os(Linux)
    import CacheNodeCore
    import Foundation
    import Testing

    @testable import CacheServer

    private let mebibyte = 1 << 20

    @Suite struct KernelMemoryTests {
        @Test func theWorkingSetIsWhatIsUsedWithoutIdleFiles() throws {
            let tree = try KernelTree.container(
                limit: "\(2 << 30)", used: 700 * mebibyte, idleFiles: 200 * mebibyte)
            #expect(
                KernelMemory(root: tree.root.path).read().bounds
                    == [cgroup(2_048 * mebibyte, 500 * mebibyte)])
        }

        @Test func moreIdleFilesThanUsedBytesAreNoUse() throws {
            let tree = try KernelTree.container(limit: "1000000", used: 10, idleFiles: 20)
            #expect(KernelMemory(root: tree.root.path).read().bounds == [cgroup(1_000_000, 0)])
        }

        @Test func theLowerOfMaxAndHighCounts() throws {
            let tree = try KernelTree.container(limit: "\(2 << 30)", used: 1)
            try tree.write("sys/fs/cgroup/memory.high", "\(1 << 30)\n")
            let kernel = KernelMemory(root: tree.root.path)
            #expect(kernel.read().bounds == [cgroup(1 << 30, 1)])
            try tree.write("sys/fs/cgroup/memory.max", "max\n")
            #expect(kernel.read().bounds == [cgroup(1 << 30, 1)])
        }

        @Test func everyGroupAroundTheProcessIsABound() throws {
            let tree = try KernelTree.container(limit: "max", used: 900)
            try tree.write("proc/self/cgroup", "0::/pods/pod1/martlet\n")
            try tree.setGroup("pods", limit: "3000000", used: 800)
            try tree.setGroup("pods/pod1", limit: "max", used: 700)
            try tree.setGroup("pods/pod1/martlet", limit: "2000000", used: 600)
            #expect(
                KernelMemory(root: tree.root.path).read().bounds
                    == [cgroup(2_000_000, 600), cgroup(3_000_000, 800)])
        }

        @Test func aLimitThatChangesIsReadAnew() throws {
            let tree = try KernelTree.container(limit: "max", used: 5)
            let kernel = KernelMemory(root: tree.root.path)
            #expect(kernel.read().bounds.map(\.place) == [.machine])
            try tree.setGroup("", limit: "4000000", used: 6)
            #expect(kernel.read().bounds == [cgroup(4_000_000, 6)])
        }

        @Test func withoutALimitTheMachineIsTheBound() throws {
            let tree = try KernelTree.container(limit: "max", used: 5)
            #expect(
                KernelMemory(root: tree.root.path).read().bounds
                    == [
                        MemorySample.Bound(
                            .machine, limitBytes: 64 << 30, usedBytes: 32 << 30)
                    ])
        }

        @Test func versionOneIsReadWhereItHasTheController() throws {
            let tree = try KernelTree()
            try tree.write(
                "proc/self/cgroup", "4:memory:/docker/abc/inner\n1:cpu,cpuacct:/\n0::/\n")
            try tree.write("proc/self/mountinfo", KernelTree.mountsOfVersionOne)
            let folder = "sys/fs/cgroup/memory"
            for (place, limit) in [("", "3000000"), ("/inner", "9223372036854771712")] {
                try tree.write("\(folder)\(place)/memory.limit_in_bytes", limit + "\n")
                try tree.write("\(folder)\(place)/memory.usage_in_bytes", "5000\n")
                try tree.write(
                    "\(folder)\(place)/memory.stat", "inactive_file 7\ntotal_inactive_file 1000\n")
            }
            #expect(
                KernelMemory(root: tree.root.path).read().bounds == [cgroup(3_000_000, 4_000)])
        }

        @Test func aGroupThatIsNotBelowTheMountIsTheMount() throws {
            let tree = try KernelTree.container(limit: "1000000", used: 3)
            for path in ["/../..", "/elsewhere/far"] {
                try tree.write("proc/self/cgroup", "0::\(path)\n")
                let mounts = KernelTree.mounts.replacingOccurrences(
                    of: "0:28 / ", with: "0:28 /kubepods/x ")
                try tree.write("proc/self/mountinfo", mounts)
                #expect(
                    KernelMemory(root: tree.root.path).read().bounds == [cgroup(1_000_000, 3)])
            }
        }

        @Test func stallsAreTheOwnGroupsElseTheMachines() throws {
            let tree = try KernelTree.container(limit: "max", used: 5)
            let text = """
                some avg10=1.00 avg60=0.00 avg300=0.00 total=99
                full avg10=0.00 avg60=0.00 avg300=0.00 total=1234567

                """
            try tree.write("proc/pressure/memory", text)
            #expect(
                KernelMemory(root: tree.root.path).read().stalled == .microseconds(1_234_567))
            try tree.write(
                "sys/fs/cgroup/memory.pressure",
                text.replacingOccurrences(of: "1234567", with: "42"))
            #expect(KernelMemory(root: tree.root.path).read().stalled == .microseconds(42))
        }

        @Test func whereNothingIsThereNothingIsRead() throws {
            let tree = try KernelTree()
            #expect(KernelMemory(root: tree.root.path).read().isEmpty)
        }

        @Test func filesThatVanishLeaveTheirPartEmpty() throws {
            let tree = try KernelTree.container(limit: "1000000", used: 3, idleFiles: 1)
            let kernel = KernelMemory(root: tree.root.path)
            try tree.remove("sys/fs/cgroup/memory.stat")
            #expect(kernel.read().bounds == [cgroup(1_000_000, 3)])
            try tree.remove("sys/fs/cgroup/memory.current")
            try tree.remove("proc/meminfo")
            #expect(kernel.read().isEmpty)
        }

        static let nonsense: [String] = [
            "", "\n", " ", "-1\n", "0\n", "max", "12x\n", "1e9\n", "99999999999999999999999\n",
            "\u{0}\u{1}", String(repeating: "9", count: 100_000), "full", "full total=",
            "full total=-5", "MemTotal:\n", "::", ":::::\n", "0::", "- - - - - - - - - -",
        ]

        static let files = [
            "sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory.high",
            "sys/fs/cgroup/memory.current", "proc/meminfo", "proc/self/cgroup",
            "proc/self/mountinfo", "sys/fs/cgroup/memory.pressure", "proc/pressure/memory",
        ]

        @Test(arguments: nonsense)
        func nonsenseIsAsIfItWereNotThere(text: String) throws {
            for file in Self.files {
                let tree = try KernelTree.container(limit: "1000000", used: 3)
                try tree.write(file, text)
                let sample = KernelMemory(root: tree.root.path).read()
                #expect(sample.stalled == nil)
                #expect(sample.bounds.allSatisfy { $0.limitBytes > 0 })
            }
        }

        @Test(arguments: files)
        func whatIsNoTextIsAsIfItWereNotThere(file: String) throws {
            let tree = try KernelTree.container(limit: "1000000", used: 3)
            try tree.write(file, Data([0xFF, 0xC0, 0x0A, 0xFE]))
            #expect(KernelMemory(root: tree.root.path).read().stalled == nil)
        }

        @Test func theRealKernelIsRead() {
            let sample = KernelMemory().read()
            #expect(sample.bounds.contains { $0.limitBytes > 0 && $0.usedBytes > 0 })
        }

        private func cgroup(_ limit: Int, _ used: Int) -> MemorySample.Bound {
            MemorySample.Bound(.cgroup, limitBytes: limit, usedBytes: used)
        }
    }
#endif
