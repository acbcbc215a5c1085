import AccessControl
import ByteCoding
import CacheAccess
import CacheConfiguration
import CacheModel
import Foundation
import Testing
import TestSupport
import ZeroMQ

@testable import martlet

/// Each check against good and bad sights: what comes of it, as `verdict: sentence`.
@Suite struct DoctorChecksTests {
    private static let me: UInt32 = 1_000
    private static let now = 1_800_000_000
    private static let day = 86_400

    private func verdicts(_ findings: [DoctorFinding]) -> [DoctorFinding.Verdict] {
        findings.map(\.verdict)
    }

    private static func key(_ digit: Int) -> String {
        String(repeating: String(digit, radix: 16), count: 64)
    }

    @Test func whatARoleCannotDoIsWrongThoughItAnswers() {
        let fine = DoctorFinding.ok("publisher", "it answers")
        #expect(ClusterCheck.judge("publisher", fine, []) == [fine])
        let found = ClusterCheck.judge("publisher", fine, ["it refuses every invalidation"])
        #expect(found.map(\.verdict) == [.wrong])
        #expect(found.first?.sentence == "it refuses every invalidation")
    }

    @Test func anOldLibraryAndOneWithoutCurveAreWrong() {
        #expect(LibraryCheck.judge(LibraryVersion(4, 3, 4), hasCurve: true).verdict == .ok)
        #expect(LibraryCheck.judge(LibraryVersion(4, 3, 3), hasCurve: true).verdict == .wrong)
        #expect(LibraryCheck.judge(LibraryVersion(4, 3, 5), hasCurve: false).verdict == .wrong)
    }

    // MARK: Keys

    private func judgedKey(
        _ key: Result<PublicKey, KeyFileError>, owner: UInt32 = me, folder: UInt32 = 0o755
    ) -> [DoctorFinding] {
        KeyCheck.judge(
            "k", key, FileFacts(kind: .file, mode: 0o600, owner: owner),
            folder: FileFacts(kind: .directory, mode: folder, owner: owner), user: Self.me)
    }

    @Test func aKeyIsItsOwnersAlone() throws {
        let key = try #require(PublicKey(Self.key(1)))
        #expect(verdicts(judgedKey(.success(key))) == [.ok])
        #expect(verdicts(judgedKey(.success(key), owner: 0)) == [.ok])
        #expect(verdicts(judgedKey(.success(key), owner: 7)) == [.ok, .warning])
        #expect(verdicts(judgedKey(.success(key), folder: 0o777)) == [.ok, .warning])
        // As in /tmp: nobody can replace another's.
        #expect(verdicts(judgedKey(.success(key), folder: 0o1777)) == [.ok])
        let errors: [KeyFileError] = [
            .missing("k"), .readableByOthers("k", mode: 0o644), .malformed("k"),
            .halvesDiffer("k"), .unreadable("k", reason: "no"),
        ]
        for error in errors {
            let findings = judgedKey(.failure(error))
            #expect(verdicts(findings) == [.wrong])
            #expect(findings.first?.remedy?.isEmpty == false)
        }
    }

    // MARK: The list

    private func judged(_ lines: String...) throws -> [String] {
        let list = try AccessList(parsing: lines.joined(separator: "\n"))
        return ListCheck.judge(list, at: Self.now).map { "\($0.verdict): \($0.sentence)" }
    }

    @Test func theListIsHeldAgainstTheCalendar() throws {
        // 1 800 000 000 is 2027-01-15T08:00:00Z.
        #expect(try judged("a \(Self.key(1)) read") == ["ok: 1 key"])
        #expect(
            try judged(
                "a \(Self.key(1)) read * 2027-01-14", "b \(Self.key(2)) read * 2027-01-20",
                "c \(Self.key(3)) read * 2027-02-14T08:00:01Z")
                == [
                    "ok: 3 keys", "warning: past their date, and not admitted: a",
                    "warning: end soon: b, the first in 5 days",
                ])
        #expect(
            try judged("c \(Self.key(3)) read * 2027-02-14T08:00:00Z").last
                == "warning: end soon: c, the first in 30 days")
    }

    @Test func emptyListsDoubledNamesAndEndlessAdminsAreSaid() throws {
        #expect(
            try judged("# nobody") == ["warning: it is empty, so no key is admitted"])
        #expect(
            try judged("a \(Self.key(1)) read", "a \(Self.key(2)) read", "o \(Self.key(3)) admin")
                == [
                    "ok: 3 keys", "warning: more than one key: a",
                    "hint: admin without a date: o",
                ])
        #expect(try judged("o \(Self.key(3)) admin * 2029-01-01") == ["ok: 1 key"])
    }

    @Test func theListAndTheConfigurationKnowTheSameNodes() throws {
        let list = try AccessList(
            parsing: """
                n1 \(Self.key(1)) node
                n2 \(Self.key(2)) node * 2026-12-31
                n4 \(Self.key(4)) node
                n3 \(Self.key(3)) read
                """)
        #expect(ListCheck.judge(list, nodes: nil, at: Self.now).isEmpty)
        let findings = ListCheck.judge(list, nodes: ["n1", "n2", "n3"], at: Self.now)
        #expect(verdicts(findings) == [.wrong, .warning])
        #expect(findings[0].sentence == "nodes without an entry of their name and role: n2, n3")
        #expect(findings[1].sentence.hasSuffix("no node of the configuration: n4"))
    }

    /// A file in a folder, and who may write each.
    private func sight(
        _ mode: UInt32, _ owner: UInt32 = me, folder: UInt32 = 0o755, of folderOwner: UInt32 = 0
    ) -> FileAccessCheck {
        FileAccessCheck(
            "d/l", FileFacts(kind: .file, mode: mode, owner: owner),
            in: [
                .init(
                    path: "d",
                    facts: FileFacts(kind: .directory, mode: folder, owner: folderOwner))
            ])
    }

    @Test func anAccessListWritableByOthersIsReported() {
        func judged(_ sight: FileAccessCheck) -> [DoctorFinding.Verdict] {
            verdicts(ListCheck.judge(sight, user: Self.me))
        }
        #expect(judged(sight(0o644)) == [])
        #expect(judged(sight(0o664, 0)) == [.wrong])
        #expect(judged(sight(0o646)) == [.wrong])
        #expect(judged(sight(0o644, 5)) == [.warning])
        #expect(judged(FileAccessCheck("l", nil, in: [])).isEmpty)
    }

    @Test func aListOrConfigurationReplaceableByOthersIsReported() {
        for judge in [ListCheck.judge(_:user:), SettingsCheck.judge(_:user:)] {
            let findings = judge(sight(0o600, folder: 0o775), Self.me)
            #expect(verdicts(findings) == [.wrong])
            #expect(
                findings.first?.sentence.hasPrefix(
                    "d/l may be replaced in d by others (mode 775): they can ") == true)
            #expect(findings.first?.remedy == "chmod go-w d")
            // As in /tmp: nobody can replace another's.
            #expect(judge(sight(0o600, folder: 0o1777), Self.me).isEmpty)
            #expect(verdicts(judge(sight(0o600, of: 5), Self.me)) == [.warning])
            #expect(verdicts(judge(sight(0o606), Self.me)) == [.wrong])
        }
    }

    @Test func ofALinkBothDirectoriesAreLookedAt() throws {
        let folder = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: folder.path("a"), withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        try FileManager.default.createDirectory(
            atPath: folder.path("b"), withIntermediateDirectories: false)
        #expect(chmod(folder.path("b"), 0o777) == 0)
        try folder.write("", to: "b/list")
        #expect(chmod(folder.path("b/list"), 0o600) == 0)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("a/list"), withDestinationPath: folder.path("b/list"))
        let found = ListCheck.judge(FileAccessCheck(folder.path("a/list")), user: geteuid())
        #expect(verdicts(found) == [.wrong])
        #expect(found.first?.sentence.contains("may be replaced in") == true)
    }

    @Test func manyNamesAreCounted() {
        #expect(NameList.text((1...5).map { "n\($0)" }) == "n1, n2, n3, n4, n5")
        #expect(NameList.text((1...8).map { "n\($0)" }) == "n1, n2, n3, n4, n5 and 3 more")
    }

    // MARK: The configuration

    private func configuration(
        publisher: String, node: String = "tcp://127.0.0.1:7500"
    ) throws -> ClusterConfiguration {
        try ClusterConfiguration.parse(
            "publisher: {endpoint: \"\(publisher)\"}\n"
                + "nodes:\n  - {id: n1, endpoints: [\"\(node)\"]}\n", fileName: "c")
    }

    @Test func anEndpointReachableFromOtherMachinesNeedsAPublicKey() throws {
        let digits = Self.key(9)
        func judged(_ publisher: String, _ node: String) throws -> [DoctorFinding.Verdict] {
            verdicts(SettingsCheck.judge(try configuration(publisher: publisher, node: node)))
        }
        #expect(try judged("tcp://127.0.0.1:7400", "tcp://127.0.0.1:7500") == [.ok])
        #expect(try judged("tcp://127.0.0.1:7400", "tcp://10.0.0.1:7500") == [.ok, .wrong])
        #expect(try judged("tcp://10.0.0.2:7400", "tcp://127.0.0.1:7500") == [.ok, .wrong])
        #expect(
            try judged("tcp://10.0.0.2:7400?key=\(digits)", "tcp://10.0.0.1:7500") == [.ok])
    }

    @Test func aPublicKeyIsIdentifiedAsThePublishersOrAListEntry() throws {
        let (digits, other) = (Self.key(9), Self.key(8))
        let keyed = try configuration(publisher: "tcp://127.0.0.1:7400?key=\(digits)")
        let list = try AccessList(parsing: "web \(other) read")
        func judged(_ key: String, _ list: AccessList?) -> [String] {
            SettingsCheck.judge(keyed, key: PublicKey(key), list).map {
                "\($0.verdict): \($0.sentence)"
            }
        }
        #expect(judged(digits, nil) == ["ok: the key is the publisher's"])
        #expect(judged(other, list) == ["ok: the key is web's in the list"])
        #expect(judged(Self.key(7), list).first?.hasPrefix("warning: the key 7777") == true)
        #expect(SettingsCheck.judge(keyed, key: nil, list).isEmpty)
    }

    private func publishers(_ first: String, _ second: String) throws -> ClusterConfiguration {
        try ClusterConfiguration.parse(
            """
            publisher: {log: etcd, etcd: {endpoints: ['http://127.0.0.1:1']}}
            publishers:
              - {id: p1, endpoint: '\(first)', state-directory: /s1}
              - {id: p2, endpoint: '\(second)', state-directory: /s2}
            nodes: [{id: n1, port: 7600}]
            """, fileName: "c")
    }

    @Test func eachOfSeveralPublishersIsLookedAt() throws {
        let (first, second) = ("tcp://127.0.0.1:7400", "tcp://127.0.0.1:7500")
        let local = try publishers(first, second)
        #expect(PlaceCheck(local).endpoints.count == 5)
        #expect(DirectoryCheck(local, directory: nil).places.map(\.path) == ["/s1", "/s2"])
        #expect(
            SettingsCheck.judge(local).map(\.sentence)
                == ["1 node, the publishers at \(first), \(second)"])
        let keyed = try publishers(first + "?key=\(Self.key(9))", "tcp://10.0.0.2:7500")
        let open = SettingsCheck.judge(keyed)
        #expect(verdicts(open) == [.ok, .wrong])
        #expect(open.last?.remedy?.contains("tcp://10.0.0.2:7500?key= and") == true)
        let both = try publishers(
            first + "?key=\(Self.key(9))", "tcp://10.0.0.2:7500?key=\(Self.key(8))")
        #expect(verdicts(SettingsCheck.judge(both)) == [.ok])
        for digit in [8, 9] {
            let key = PublicKey(Self.key(digit))
            #expect(verdicts(SettingsCheck.judge(both, key: key, nil)) == [.ok])
        }
        let strange = SettingsCheck.judge(both, key: PublicKey(Self.key(7)), nil)
        #expect(strange.first?.sentence.contains("neither a publisher's (9999") == true)
    }

    // MARK: The machine

    @Test(arguments: [
        (DirectoryFacts(file: .folder(), isWritable: true, freeBytes: 200), "ok"),
        (DirectoryFacts(file: nil, isWritable: true, freeBytes: 200), "ok"),
        (DirectoryFacts(file: nil, isWritable: false, freeBytes: 200), "wrong"),
        (DirectoryFacts(file: .folder(), isWritable: false, freeBytes: 200), "wrong"),
        (DirectoryFacts(file: .folder(mode: 0o775), isWritable: true, freeBytes: 200), "wrong"),
        (DirectoryFacts(file: .folder(owner: 9), isWritable: true, freeBytes: 200), "warning"),
        (
            DirectoryFacts(
                file: FileFacts(kind: .file, mode: 0o600, owner: 1_000), isWritable: true,
                freeBytes: 200), "wrong"
        ),
        (DirectoryFacts(file: .folder(), isWritable: true, freeBytes: 99), "wrong"),
        (DirectoryFacts(file: .folder(), isWritable: true, freeBytes: 40, ownBytes: 60), "ok"),
        (DirectoryFacts(file: .folder(), isWritable: true, freeBytes: nil), "ok"),
    ])
    func aDirectoryIsThereOursAndLargeEnough(facts: DirectoryFacts, verdict: String) {
        let place = DirectoryCheck.Place(purpose: "disk of n1", path: "/d", bytes: 100)
        let finding = DirectoryCheck.judge(place, facts, user: Self.me)
        #expect(finding.verdict.rawValue == verdict, "\(finding)")
        #expect((finding.remedy != nil) == (verdict != "ok"))
    }

    @Test func descriptorsAreCountedAgainstConnections() {
        #expect(DescriptorCheck.judge(soft: 1_024, hard: 1_048_576).verdict == .ok)
        #expect(DescriptorCheck.judge(soft: 1_024, hard: 4_064).verdict == .ok)
        #expect(DescriptorCheck.judge(soft: 1_024, hard: 4_063).verdict == .warning)
        #expect(DescriptorCheck.judge(soft: 64, hard: 64).verdict == .wrong)
    }

    @Test func nodesOfThisMachineFitIntoItsMemory() {
        func judged(_ bytes: Int, isHere: Bool) -> [DoctorFinding.Verdict] {
            let needs = ["n1", "n2"].map {
                MemoryCheck.Need(node: $0, bytes: bytes, isHere: isHere)
            }
            return verdicts(MemoryCheck.judge(needs, limit: 1_000, free: 600, of: "machine"))
        }
        #expect(judged(300, isHere: true) == [.ok])
        #expect(judged(301, isHere: true) == [.warning])
        #expect(judged(501, isHere: true) == [.wrong])
        #expect(judged(1_000, isHere: false) == [.ok])
        #expect(judged(1_001, isHere: false) == [.warning, .warning])
        #expect(
            verdicts(MemoryCheck.judge([], limit: 1_000, free: 600, of: "cgroup")) == [.ok])
    }

    @Test func aClockIsSaneAndKept() {
        #expect(ClockCheck.judge(year: 2027, isSynchronized: true).verdict == .ok)
        #expect(ClockCheck.judge(year: 2027, isSynchronized: false).verdict == .warning)
        #expect(ClockCheck.judge(year: 2027, isSynchronized: nil).verdict == .hint)
        #expect(ClockCheck.judge(year: 1970, isSynchronized: true).verdict == .wrong)
    }

    @Test func aMissingRingIsNoFault() {
        #expect(RingCheck.judge(0).verdict == .ok)
        let missing = RingCheck.judge(1)
        #expect(missing.verdict == .hint && missing.sentence.contains("threads read"))
    }

    @Test func portsAreFreeOrAMartlets() {
        let good = PlaceCheck.judge([
            ("tcp://a:1", .free), ("tcp://a:2", .martlet), ("tcp://a:3", .free),
            ("tcp://b:1", .elsewhere),
        ])
        #expect(good.map(\.sentence) == ["2 free, 1 taken by a martlet, 1 of other machines"])
        let bad = PlaceCheck.judge([
            ("tcp://a:1", .somebodyElse), ("tcp://a:2", .refused("no")), ("tcp://a:3", .free),
        ])
        #expect(verdicts(bad) == [.wrong, .wrong])
        #expect(PlaceCheck.judge([]).isEmpty)
    }

    // MARK: A cluster

    @Test func whatAHandshakeSaysIsTold() {
        func judged(_ outcome: HandshakeOutcome, hasKey: Bool = true) -> DoctorFinding {
            ClusterCheck.judge("tcp://a:1", outcome, hasKey: hasKey)
        }
        #expect(judged(.admitted).sentence == "tcp://a:1 admits this key")
        #expect(judged(.admitted, hasKey: false).sentence == "tcp://a:1 admits every client")
        #expect(judged(.refused).sentence.contains("refuses your key"))
        #expect(judged(.brokenOff).sentence.contains("does not hold that key"))
        #expect(judged(.brokenOff, hasKey: false).remedy?.contains("give --key") == true)
        #expect(judged(.unanswered).sentence == "nothing answers at tcp://a:1")
        let refused = ClusterCheck.judge("tcp://a:1", .unanswered, .refused, hasKey: true)
        #expect(refused.sentence == "nothing answers at tcp://a:1: it refuses connections")
        for outcome in [HandshakeOutcome.refused, .brokenOff, .unanswered] {
            #expect(judged(outcome).verdict == .wrong)
        }
    }

    @Test func aNodeIsLiveOrSaysWhatItIs() {
        #expect(ClusterCheck.judge("n1", .state(.live)).verdict == .ok)
        #expect(ClusterCheck.judge("n1", .state(.suspect)).verdict == .warning)
        #expect(ClusterCheck.judge("n1", .none("gone")).verdict == .wrong)
    }
}

extension FileFacts {
    fileprivate static func folder(mode: UInt32 = 0o755, owner: UInt32 = 1_000) -> FileFacts {
        FileFacts(kind: .directory, mode: mode, owner: owner)
    }
}
