import ByteCoding
import CacheModel
import CacheWire
import Testing

/// Members of a sharded cluster, as a record says them: docs/decisions/0084.
@Suite struct MembershipTests {
    private func membership(isSettled: Bool = false) throws -> Membership {
        let (one, two) = (try #require(NodeID("n1")), try #require(NodeID("two")))
        return Membership(
            [
                Membership.Member(node: one, shards: 2, weightThousandths: 1_000),
                Membership.Member(node: two, shards: 64, weightThousandths: 500),
            ], isSettled: isSettled)
    }

    private func sealed(_ scope: Scope) throws -> SealedRecord {
        try SealedRecord(
            sealing: InvalidationRecord(
                position: LogPosition(epoch: Epoch(1), sequence: SequenceNumber(1)),
                previousDigest: LogDigest(0), operation: .none, strength: .hard,
                scopes: [scope]))
    }

    private func read(_ bytes: [UInt8]) throws -> SealedRecord {
        try bytes.withUnsafeBytes {
            var reader = ByteReader($0)
            return try SealedRecord(decoding: &reader)
        }
    }

    @Test func theirBytesAreTheseAndNoOthers() throws {
        let bytes = try membership(isSettled: true).encoded
        #expect(
            bytes == [
                1, 1, 2, 0,
                2, 0, 2, 0, 0xE8, 3, 0, 0, 0x6E, 0x31,
                3, 0, 64, 0, 0xF4, 1, 0, 0, 0x74, 0x77, 0x6F,
            ])
        let record = try sealed(Scope(try membership())).bytes
        #expect(record[48..<56] == [5, 4, 0, 0, 25, 0, 0, 0])
    }

    @Test(arguments: [false, true])
    func aRecordOfThemIsReadAsItWasSealed(isSettled: Bool) throws {
        let scope = Scope(try membership(isSettled: isSettled))
        let record = try sealed(scope)
        let again = try read(record.bytes)
        #expect(again == record && again.record.isForNodes)
        #expect(again.record.scopes.first?.membership == scope.membership)
        #expect(record.bytes.withUnsafeBytes { SealedRecord.isOfKnownForm($0) })
        let unnamed = Scope(Membership(nil, isSettled: isSettled))
        #expect(try read(sealed(unnamed).bytes).record.scopes.first == unnamed)
    }

    /// More is hidden then, never less.
    @Test func aListThatIsDamagedMakesARecordOfANewerForm() throws {
        let whole = try sealed(Scope(try membership())).bytes
        for offset in 56..<whole.count {
            var bytes = whole
            bytes[offset] = 0xFF
            let record = try read(bytes).record
            #expect(record.isOfNewerForm || record.isForNodes, "byte \(offset)")
        }
        var twice = try membership().encoded
        twice[3 + 11] = 2
        #expect(throws: WireRefusal.self) {
            try twice.withUnsafeBytes { try Membership(decoding: $0) }
        }
        for length in 0..<twice.count {
            let bytes = Array(try membership().encoded.prefix(length))
            #expect(throws: WireRefusal.self, "\(length) bytes") {
                try bytes.withUnsafeBytes { try Membership(decoding: $0) }
            }
        }
    }

    @Test func requestsWithMembershipScopesAreRefused() throws {
        let scope = Scope(try membership())
        var writer = ByteWriter()
        InvalidateRequest(
            scopes: [scope], wait: .all, timeoutMilliseconds: 1, operation: .none
        ).encode(requestID: 1, into: &writer)
        #expect(throws: WireRefusal.self) {
            try InvalidateRequest(decoding: MessageView(decoding: writer.bytes))
        }
        writer.removeAll()
        CountRequest(scopes: [scope]).encode(requestID: 1, into: &writer)
        #expect(throws: WireRefusal.self) {
            try CountRequest(decoding: MessageView(decoding: writer.bytes))
        }
    }

    @Test func membersBelongToEverythingAlone() throws {
        var scope = Scope(.namespace(.default))
        scope.membership = try membership()
        #expect(!scope.isMeaningful)
        scope = Scope(try membership())
        #expect(scope.isMeaningful)
        scope.hashRange = 0...1
        #expect(!scope.isMeaningful)
    }

    @Test func aTopologyReportSaysWhetherItsNodesAreSettledAndWhere() throws {
        let place = LogPosition(epoch: Epoch(3), sequence: SequenceNumber(9))
        let report = TopologyReport(
            version: 1, kind: .sharded, controlEndpoint: "", liveEndpoint: "", nodes: [])
        var writer = ByteWriter()
        report.encode(
            requestID: 1, note: MembersNote(isSettled: true, asOf: place), into: &writer)
        let message = try MessageView(decoding: writer.bytes)
        #expect(message.fields.members == MembersNote(isSettled: true, asOf: place))
        #expect(try TopologyReport(decoding: message) == report)
        writer.removeAll()
        report.encode(requestID: 1, into: &writer)
        #expect(try MessageView(decoding: writer.bytes).fields.members == nil)
    }

    @Test func ownersAreTheSameFromMembersAndFromATopologyReport() throws {
        let nodes = (1...5).compactMap { number in
            NodeID("n\(number)").map {
                TopologyReport.Node(
                    id: $0, state: .live, weightThousandths: UInt32(number * 300),
                    endpoints: Array(repeating: "tcp://127.0.0.1:1", count: number))
            }
        }
        let report = TopologyReport(
            version: 1, kind: .sharded, controlEndpoint: "", liveEndpoint: "", nodes: nodes)
        let (whole, bare) = (Topology(report), Topology(report.members))
        for hash in 0..<1_000 as Range<UInt64> {
            let route = RouteHash(StableHash.mix(hash), slot: .first)
            #expect(whole.owner(of: route) == bare.owner(of: route))
        }
    }
}
