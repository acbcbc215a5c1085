import ByteCoding
package import CacheModel

/// Requests and answers of etcd's JSON gateway (release 3.4 and later).
///
/// Keys, values and byte strings are base64, 64-bit integers are texts, and an answer leaves out
/// what is false, zero or empty. A comparison whose value has a wrong name compares with nothing
/// without a word: every fence is proven against a real member (Tests/Units/Runtime/EtcdTests).
package enum EtcdCoding {
    /// One call: where it is sent, and what.
    package struct Call: Hashable, Sendable {
        package let path: String
        package let body: [UInt8]

        fileprivate init(_ path: String, _ members: [JSONDocument.Member]) {
            self.path = path
            body = Array(JSONDocument.object(members).line.utf8)
        }
    }

    /// What an answer means.
    package enum Reply: Hashable, Sendable {
        case outcome(StoreOutcome)
        /// The token is not, or no longer, valid. Nothing was executed.
        case unauthenticated(String)
    }

    package static func authentication(user: String, password: String) -> Call {
        Call("/v3/auth/authenticate", [("name", .text(user)), ("password", .text(password))])
    }

    /// - Returns: `nil` if the answer has no token.
    package static func token(in body: [UInt8]) -> String? {
        guard case .text(let token)? = document(body)?["token"] else { return nil }
        return token
    }

    package static func call(for request: StoreRequest) -> Call {
        switch request {
        case .transaction(let transaction): call(for: transaction)
        case .grantLease(let length):
            Call("/v3/lease/grant", [("TTL", .text("\(max(1, length.components.seconds))"))])
        case .keepAlive(let lease):
            Call("/v3/lease/keepalive", [("ID", .text("\(lease.rawValue)"))])
        case .revoke(let lease): Call("/v3/lease/revoke", [("ID", .text("\(lease.rawValue)"))])
        case .compact(let revision):
            Call("/v3/kv/compaction", [("revision", .text("\(revision)"))])
        }
    }

    private static func call(for transaction: StoreTransaction) -> Call {
        return Call(
            "/v3/kv/txn",
            [
                ("compare", .list(transaction.conditions.map(condition))),
                ("success", .list(transaction.changes.map(change) + transaction.reads.map(read))),
                ("failure", .list(transaction.readsIfRefused.map(read))),
            ])
    }

    private static func read(_ read: StoreTransaction.Read) -> JSONDocument {
        var members = range(read.range)
        if read.countMax > 0 { members.append(("limit", .text("\(read.countMax)"))) }
        return .object([("request_range", .object(members))])
    }

    private static func condition(_ condition: StoreTransaction.Condition) -> JSONDocument {
        let (key, rest): (String, [JSONDocument.Member]) =
            switch condition {
            case .isAbsent(let key):
                (key, [("target", .text("CREATE")), ("create_revision", .text("0"))])
            case .isEqual(let key, let value):
                (key, [("target", .text("VALUE")), ("value", base64(value))])
            }
        return .object([("key", base64(key)), ("result", .text("EQUAL"))] + rest)
    }

    private static func change(_ change: StoreTransaction.Change) -> JSONDocument {
        switch change {
        case .put(let key, let value, let lease):
            var members: [JSONDocument.Member] = [("key", base64(key)), ("value", base64(value))]
            if let lease { members.append(("lease", .text("\(lease.rawValue)"))) }
            return .object([("request_put", .object(members))])
        case .remove(let removed):
            return .object([("request_delete_range", .object(range(removed)))])
        }
    }

    private static func range(_ range: StoreRange) -> [JSONDocument.Member] {
        [("key", base64(range.first))] + (range.end.map { [("range_end", base64($0))] } ?? [])
    }

    private static func base64(_ text: String) -> JSONDocument { base64(Array(text.utf8)) }

    private static func base64(_ bytes: [UInt8]) -> JSONDocument {
        .text(Base64Text.text(of: bytes))
    }

    private static func document(_ body: [UInt8]) -> JSONDocument.Members? {
        do throws(JSONReader.Damage) {
            guard case .members(let members) = try JSONReader.read(body) else { return nil }
            return members
        } catch {
            return nil
        }
    }
}

// MARK: - Members

/// One member of etcd, as it reports itself.
package struct EtcdMember: Hashable, Sendable {
    package let endpoint: String
    /// Why it does not answer; `nil` if it does.
    package var trouble: String?
    package var version = ""
    package var isLeader = false
    /// Bytes of its database on the disk.
    package var databaseBytes: UInt64 = 0
    /// Alarms and errors that it reports, such as a database without space.
    package var errors: [String] = []

    package init(endpoint: String, trouble: String? = nil) {
        self.endpoint = endpoint
        self.trouble = trouble
    }

    /// The worst that it reports, in one word.
    package var condition: EtcdCondition {
        if trouble != nil { return .silent }
        func reports(_ word: String) -> Bool { errors.contains { $0.contains(word) } }
        if reports("CORRUPT") { return .corrupt }
        if reports("NOSPACE") { return .full }
        if reports("no leader") { return .leaderless }
        return errors.isEmpty ? .healthy : .troubled
    }
}

extension EtcdCoding {
    package static var memberStatus: Call { Call("/v3/maintenance/status", []) }

    /// - Parameter status: of HTTP.
    package static func member(
        at endpoint: String, _ status: Int, _ body: [UInt8]
    ) -> EtcdMember {
        guard status == 200, let members = document(body),
            case .members(let header)? = members["header"],
            let own = number(header["member_id"])
        else {
            return EtcdMember(
                endpoint: endpoint,
                trouble: "the answer is not etcd's (HTTP status \(status))")
        }
        var member = EtcdMember(endpoint: endpoint)
        if case .text(let version)? = members["version"] { member.version = version }
        member.isLeader = number(members["leader"]) == own
        member.databaseBytes = number(members["dbSize"]) ?? 0
        if case .list(let errors)? = members["errors"] {
            member.errors = errors.compactMap { if case .text(let text) = $0 { text } else { nil } }
        }
        // Without a leader the member can neither write nor read the newest value.
        if number(members["leader"]) ?? 0 == 0 { member.errors.append("it has no leader") }
        return member
    }
}

// MARK: - Answers

extension EtcdCoding {
    /// - Parameter status: of HTTP.
    package static func reply(
        to request: StoreRequest, status: Int, body: [UInt8]
    ) -> Reply {
        guard let members = document(body) else {
            // A proxy, or a server that is no etcd, or a body that was cut.
            let sentence = "the answer is not etcd's (HTTP status \(status))"
            return .outcome(
                .failure(mayBeExecuted(status) ? .unknown(sentence) : .refused(sentence)))
        }
        guard status == 200 else { return refusal(members, status: status) }
        guard let answer = answer(to: request, members) else {
            return .outcome(.failure(.unknown("the answer is not one to this request")))
        }
        return .outcome(.success(answer))
    }

    /// Whether an answer that is not etcd's can come after the request was executed.
    private static func mayBeExecuted(_ status: Int) -> Bool { status == 200 || status >= 500 }

    /// The numbers of gRPC's status codes that etcd answers with.
    private enum Code {
        static let invalidArgument = 3
        static let notFound = 5
        static let permissionDenied = 7
        static let resourceExhausted = 8
        static let failedPrecondition = 9
        static let outOfRange = 11
        static let unimplemented = 12
        static let unauthenticated = 16
        /// Nothing was executed: the request is wrong, or refused before it is agreed on.
        static let final: Set = [
            invalidArgument, notFound, permissionDenied, resourceExhausted, failedPrecondition,
            outOfRange, unimplemented,
        ]
    }

    /// What etcd says, with other codes, of a token that has to be renewed.
    private static let outdated = [
        "invalid auth token", "revision of auth store is old", "user name is empty",
    ]

    private static func refusal(_ members: JSONDocument.Members, status: Int) -> Reply {
        let sentence = sentence(members, status: status)
        let code = number(members["code"]).flatMap { Int(exactly: $0) }
        if code == Code.unauthenticated || outdated.contains(where: sentence.contains) {
            return .unauthenticated(sentence)
        }
        // etcd makes the changes of a transaction before it finds that its space is used up.
        guard let code, Code.final.contains(code), !sentence.contains("space exceeded") else {
            return .outcome(.failure(.unknown(sentence)))
        }
        return .outcome(.failure(.refused(sentence)))
    }

    private static func sentence(_ members: JSONDocument.Members, status: Int) -> String {
        // Some releases say one, some the other, most both.
        if case .text(let text)? = members["error"] ?? members["message"] {
            text
        } else {
            "HTTP status \(status)"
        }
    }

    /// Why etcd refuses, as it says it.
    package static func refusal(in body: [UInt8], status: Int) -> String {
        document(body).map { sentence($0, status: status) } ?? "HTTP status \(status)"
    }

    private static func answer(
        to request: StoreRequest, _ members: JSONDocument.Members
    ) -> StoreAnswer? {
        switch request {
        case .transaction(let transaction):
            guard let revision = revision(members) else { return nil }
            return pairs(of: transaction, members).map { isExecuted, pairs in
                StoreAnswer(
                    .transaction(isExecuted: isExecuted, pairs: pairs), revision: revision)
            }
        case .grantLease:
            guard let revision = revision(members),
                let id = number(members["ID"]).flatMap({ Int64(exactly: $0) }), id != 0
            else { return nil }
            return StoreAnswer(.lease(StoreLease(id)), revision: revision)
        case .keepAlive:
            guard case .members(let result)? = members["result"],
                let revision = revision(result)
            else { return nil }
            // A lease that is over has no time to live, and a number without a value is left out.
            let isKnown = number(result["TTL"]).map { $0 > 0 } ?? false
            return StoreAnswer(.keptAlive(isKnown: isKnown), revision: revision)
        case .revoke: return revision(members).map { StoreAnswer(.revoked, revision: $0) }
        case .compact: return revision(members).map { StoreAnswer(.compacted, revision: $0) }
        }
    }

    private static func revision(_ members: JSONDocument.Members) -> UInt64? {
        guard case .members(let header)? = members["header"] else { return nil }
        return number(header["revision"])
    }

    /// The pairs of each read, which come last among the responses.
    private static func pairs(
        of transaction: StoreTransaction, _ members: JSONDocument.Members
    ) -> (isExecuted: Bool, pairs: [[StorePair]])? {
        let isExecuted = members["succeeded"] == .bool(true)
        let responses: [JSONDocument] =
            if case .list(let list)? = members["responses"] { list } else { [] }
        let changeCount = isExecuted ? transaction.changes.count : 0
        let reads = isExecuted ? transaction.reads : transaction.readsIfRefused
        guard responses.count == changeCount + reads.count else { return nil }
        var pairs: [[StorePair]] = []
        for response in responses.dropFirst(changeCount) {
            guard case .members(let one) = response,
                case .members(let range)? = one["response_range"]
            else { return nil }
            guard case .list(let list)? = range["kvs"] else {
                pairs.append([])
                continue
            }
            let found = list.compactMap(pair)
            guard found.count == list.count else { return nil }
            pairs.append(found)
        }
        return (isExecuted, pairs)
    }

    private static func pair(_ document: JSONDocument) -> StorePair? {
        guard case .members(let members) = document, let key = bytes(members["key"]),
            let name = String(validating: key, as: UTF8.self)
        else { return nil }
        return StorePair(name, bytes(members["value"]) ?? [])
    }

    private static func bytes(_ document: JSONDocument?) -> [UInt8]? {
        guard case .text(let text)? = document else { return nil }
        return Base64Text.bytes(of: text)
    }

    private static func number(_ document: JSONDocument?) -> UInt64? {
        switch document {
        case .text(let text): UInt64(text)
        case .integer(let number): UInt64(exactly: number)
        case .unsigned(let number): number
        default: nil
        }
    }
}
