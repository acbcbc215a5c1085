import CacheConfiguration
import CacheDisk
import CacheModel
import Testing

/// A node's disk tier in the file: what is taken, and the exact lines that refuse the rest.
@Suite struct DiskSettingsParsingTests {
    private func disks(_ nodes: String) throws -> [DiskSettings?] {
        try ConfigurationSamples.parsed("nodes: [\(nodes)]\n").nodes.map(\.disk)
    }

    @Test func aSizeAndADirectoryAreADiskTierThatThreadsRead() throws {
        #expect(
            try disks("{id: n1, disk: 10GiB, disk-directory: /var/lib/martlet/n1}")
                == [DiskSettings(directory: "/var/lib/martlet/n1", bytes: 10 << 30)])
        #expect(
            try disks("{id: n1, disk: 64MB, disk-directory: tiers/n1, disk-reads: ring}")
                == [DiskSettings(directory: "tiers/n1", bytes: 64_000_000, reads: .ring)])
    }

    @Test func noneIsNoDiskTierAlsoWhereADirectoryStands() throws {
        let both = "{id: n1, disk: none, disk-directory: /d}, {id: n2, disk: none}"
        #expect(try disks(both) == [nil, nil])
        // What is not used may be another's.
        let other =
            "{id: n1, disk: none, disk-directory: /d}, "
            + "{id: n2, disk: 1GiB, disk-directory: /d}"
        #expect(try disks(other).map { $0?.directory } == [nil, "/d"])
    }

    @Test func aWriteLimitIsBytesASecondOrNone() throws {
        func limits(_ text: String) throws -> [Int?] {
            try disks("{id: n1, disk: 1GiB, disk-directory: /d, disk-write-limit: \(text)}")
                .map { $0?.writeBytesPerSecond }
        }
        #expect(try limits("20MiB") == [20 << 20])
        #expect(try limits("64KiB") == [64 << 10])
        #expect(try limits("none") == [nil])
    }

    @Test func whatIsLeftFreeIsASizeOrNone() throws {
        func leftFree(_ text: String) throws -> [Int?] {
            try disks("{id: n1, disk: 1GiB, disk-directory: /d, disk-free: \(text)}")
                .map { $0?.leftFreeBytes }
        }
        #expect(try leftFree("20GiB") == [20 << 30])
        #expect(try leftFree("1MiB") == [1 << 20])
        #expect(try leftFree("none") == [nil])
    }

    @Test func theLeastAndTheGreatestSizeAreTaken() throws {
        for (shards, size) in [(1, "16MiB"), (1, "128GiB"), (64, "1GiB"), (64, "8TiB")] {
            let node = "{id: n1, shards: \(shards), disk: \(size), disk-directory: /d}"
            #expect(try disks(node).first.map { $0 != nil } == true)
        }
    }

    @Test func theBoundsAreThoseOfATiersFile() {
        let each = ConfigurationLimits.diskBytesPerShard
        #expect(each.lowerBound == DiskLimits.fileBytesMin)
        #expect(each.upperBound == DiskLimits.segmentBytesAllMax)
        #expect(DiskGeometry.fitting(each.lowerBound) != nil)
        #expect(DiskGeometry.fitting(each.upperBound) != nil)
    }

    typealias Case = ClusterConfigurationParsingTests.Case

    @Test(arguments: [
        Case(
            "nodes: [{id: n1, disk: 10GiB}]\n",
            "f:1:24: nodes[0].disk: the disk tier has no place; give one, for example "
                + "\"disk-directory: /var/lib/martlet/n1\""),
        Case(
            "nodes: [{id: n1, disk-directory: /d, disk-reads: ring}]\n",
            "f:1:34: nodes[0].disk-directory: the node has no disk tier; give it one, for "
                + "example \"disk: 10GiB\", or remove the line",
            "f:1:50: nodes[0].disk-reads: the node has no disk tier; give it one, for example "
                + "\"disk: 10GiB\", or remove the line"),
        Case(
            "nodes: [{id: n1, disk: 15MiB, disk-directory: /d}]\n",
            "f:1:24: nodes[0].disk: \"15MiB\" is too little for 1 shard; give 16MiB to 128GiB, "
                + "or none"),
        Case(
            "nodes: [{id: n1, shards: 4, disk: 63MiB, disk-directory: /d}]\n",
            "f:1:35: nodes[0].disk: \"63MiB\" is too little for 4 shards; give 64MiB to "
                + "512GiB, or none"),
        Case(
            "nodes: [{id: n1, shards: 2, disk: 257GiB, disk-directory: /d}]\n",
            "f:1:35: nodes[0].disk: \"257GiB\" is too much for 2 shards; give 32MiB to 256GiB, "
                + "or none"),
        Case(
            "nodes: [{id: n1, disk: 10, disk-directory: /d}]\n",
            "f:1:24: nodes[0].disk: \"10\" has no unit; write 10B if bytes are meant, or none"),
        Case(
            "nodes: [{id: n1, disk: nome, disk-directory: /d}]\n",
            "f:1:24: nodes[0].disk: \"nome\" is not a size; write a whole number and its unit, "
                + "such as 100B, 64KiB, 256MiB or 1GiB, or none"),
        Case(
            "nodes:\n  - id: n1\n    disk:\n    disk-directory: /d\n",
            "f:3:10: nodes[0].disk: here must stand a size such as 10GiB, or none; found "
                + "nothing; give one, or remove the line"),
        Case(
            "nodes: [{id: n1, disk: 1GiB, disk-directory: \"\"}]\n",
            "f:1:46: nodes[0].disk-directory: that is no directory; give a path of 1 to 1000 "
                + "bytes"),
        Case(
            "nodes: [{id: n1, disk: 1GiB, disk-directory: []}]\n",
            "f:1:46: nodes[0].disk-directory: here must stand a directory such as "
                + "/var/lib/martlet/n1; found a list; give one"),
        Case(
            "nodes: [{id: n1, disk: 1GiB, disk-directory: /d, disk-reads: rings}]\n",
            "f:1:62: nodes[0].disk-reads: \"rings\" is not one of threads, ring; did you mean "
                + "ring?"),
        Case(
            "nodes: [{id: n1, disk: 1GiB, disk-directory: /d, disk-write-limit: 1KiB}]\n",
            "f:1:68: nodes[0].disk-write-limit: \"1KiB\" is too small; give 64KiB to 1TiB, or "
                + "none"),
        Case(
            "nodes: [{id: n1, disk: 1GiB, disk-directory: /d, disk-free: 1KiB}]\n",
            "f:1:61: nodes[0].disk-free: \"1KiB\" is too small; give 1MiB to 1024TiB, or none"),
        Case(
            "nodes: [{id: n1, disk-free: 1MiB}]\n",
            "f:1:29: nodes[0].disk-free: the node has no disk tier; give it one, for example "
                + "\"disk: 10GiB\", or remove the line"),
        Case(
            "nodes: [{id: n1, disk-write-limit: 1MiB}]\n",
            "f:1:36: nodes[0].disk-write-limit: the node has no disk tier; give it one, for "
                + "example \"disk: 10GiB\", or remove the line"),
        Case(
            "nodes: [{id: n1, disk: 1GiB, disk-dir: /d}, {id: n2, disc: 1GiB}]\n",
            "f:1:24: nodes[0].disk: the disk tier has no place; give one, for example "
                + "\"disk-directory: /var/lib/martlet/n1\"",
            "f:1:30: nodes[0].disk-dir: there is no such setting; known here: id, shards, "
                + "weight, memory, entries-max, eviction, memory-pressure, spin, io-threads, "
                + "warm-up, warm-up-keys, warm-up-rate, warm-up-bytes, disk, disk-directory, "
                + "disk-reads, disk-write-limit, disk-free, queue-directory, http, sample-log, "
                + "port, endpoints",
            "f:1:54: nodes[1].disc: there is no such setting; did you mean disk?"),
    ])
    func aWrongDiskTierIsRefusedWithItsRemedy(wrong: Case) {
        #expect(ConfigurationSamples.refusal(of: wrong.text) == wrong.lines)
    }

    @Test(arguments: ["/d/n1", "/d//n1/", "/d/./n1"])
    func twoNodesMayNotHaveOneDirectoryHoweverItIsWritten(again: String) {
        let text = """
            nodes:
              - {id: n1, disk: 1GiB, disk-directory: /d/n1}
              - {id: n2, disk: 1GiB, disk-directory: d/n1}
              - {id: n3, disk: 1GiB, disk-directory: "\(again)"}
            """
        #expect(
            ConfigurationSamples.refusal(of: text) == [
                "f:4:42: nodes[2].disk-directory: \"\(again)\" is taken by "
                    + "nodes[0].disk-directory already; give each node its own"
            ])
    }
}
