import CacheAccess
import CacheHTTP
import CacheModel
import Testing

@testable import GatewayServer

@Suite struct CallerTests {
    private static func caller(_ line: String) throws -> Caller {
        let list = try AccessList(parsing: "web \(TokenHash.hash("t")) \(line)")
        return .holder(try #require(list.entry(of: TokenHash.hash("t"))))
    }

    private static func order(_ method: String, _ path: String) throws -> GatewayOrder {
        // Whichever field the order is made of: no PURGE takes both a key and tags.
        let isOfTags = path.dropFirst("/v1/".count).firstIndex(of: "/") == nil
        var fields = FieldList(["If-Match": "*"])
        if isOfTags { fields.append("Surrogate-Key", "a") }
        return try GatewayOrder(RequestHead(method, path, fields))
    }

    private static func may(_ caller: Caller, _ method: String, _ path: String) throws -> Bool {
        do throws(Problem) {
            switch try? order(method, path) {
            case .read(let order): try caller.check(order)
            case .store(let order): try caller.check(order)
            case .remove(let order): try caller.check(order)
            case .purge(let order): try caller.check(order)
            case .cluster: try caller.checkEverywhere(.metrics)
            default: Issue.record("no order")
            }
            return true
        } catch {
            #expect(error.kind == .forbidden)
            return false
        }
    }

    /// Each role against each order.
    @Test(arguments: [
        ("read", ["GET"]), ("write", ["PUT", "DELETE"]),
        ("invalidate", ["PURGE", "TAGS"]), ("metrics", ["CLUSTER"]),
        ("admin", ["GET", "PUT", "DELETE", "PURGE", "TAGS", "CLUSTER"]),
    ])
    func aRoleAllowsWhatItIsFor(role: String, allowed: [String]) throws {
        let caller = try Self.caller(role)
        let orders = [
            ("GET", "GET", "/v1/n/k"), ("PUT", "PUT", "/v1/n/k"), ("DELETE", "DELETE", "/v1/n/k"),
            ("PURGE", "PURGE", "/v1/n/k"), ("TAGS", "PURGE", "/v1/n"),
            ("CLUSTER", "GET", "/v1/cluster"),
        ]
        for (name, method, path) in orders {
            let isAllowed = allowed.contains(name)
            #expect(try Self.may(caller, method, path) == isAllowed, "\(role): \(name)")
            #expect(try Self.may(.anybody, method, path))
        }
    }

    @Test func aPatternBoundsIt() throws {
        let caller = try Self.caller("read,invalidate n/a:")
        #expect(try Self.may(caller, "GET", "/v1/n/a:1"))
        #expect(try !Self.may(caller, "GET", "/v1/n/b:1"))
        #expect(try !Self.may(caller, "GET", "/v1/m/a:1"))
        #expect(try Self.may(caller, "PURGE", "/v1/n/a:1"))
        // A tag may be on any key of the namespace.
        #expect(try !Self.may(caller, "PURGE", "/v1/n"))
    }

    @Test func aBatchIsRefusedForOneKey() throws {
        let caller = try Self.caller("read n/a")
        let name = try #require(Namespace("n"))
        let good = try BatchOrder(name, ReadTerms(), body: Array(#"{"keys":["a","ab"]}"#.utf8))
        try caller.check(good)
        let bad = try BatchOrder(name, ReadTerms(), body: Array(#"{"keys":["a","b"]}"#.utf8))
        #expect(throws: Problem.self) { try caller.check(bad) }
    }

    /// Whoever has the right to fill a key keeps others from loading it.
    @Test func theRightToFillTakesTheRightToWrite() throws {
        let fields = FieldList(["Martlet-Token": "?1"])
        func ask(_ caller: Caller) throws {
            try caller.check(try GatewayOrder(RequestHead("GET", "/v1/n/a", fields)))
        }
        try ask(try Self.caller("read,write n/a"))
        let reader = try Self.caller("read n/a")
        #expect(throws: Problem.self) { try ask(reader) }
        let name = try #require(Namespace("n"))
        let batch = try BatchOrder(
            name, try ReadTerms(fields), body: Array(#"{"keys":["a"]}"#.utf8))
        #expect(throws: Problem.self) { try reader.check(batch) }
    }

    @Test func aBatchOfStoresIsRefusedForOneKey() throws {
        let caller = try Self.caller("write n/a")
        func check(_ key: String) throws {
            let body = #"{"stores":[{"key":"a","value":""},{"key":"\#(key)","value":""}]}"#
            let name = try #require(Namespace("n"))
            guard case .store(let batch) = try BatchBody(name, ReadTerms(), body: Array(body.utf8))
            else { throw Problem(.fault, "it is no batch of stores") }
            try caller.check(batch)
        }
        try check("ab")
        #expect(throws: Problem.self) { try check("b") }
    }

    @Test func aDryRunTakesTheRightToReadOrToInvalidate() throws {
        let body = #"{"prefixes":["a"],"namespace":"n","dry_run":true}"#
        let order = try InvalidationOrder(body: Array(body.utf8))
        try Self.caller("read n/a").check(order)
        var real = order
        real.isDryRun = false
        #expect(throws: Problem.self) { try Self.caller("read n/a").check(real) }
    }
}
