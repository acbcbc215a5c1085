@testable import ByteCoding
import CacheModel

@testable import CacheHTTP

/// The head of a request: what it asks for, who sends it, from which page. A key that is named is
/// named again by the path that is written of it; and every problem can be answered.
///
///     method 1, fields 1, (name 1, value's run) for each, target
enum RequestFuzz: FuzzTarget {
    static let name = "request"

    private static let methods =
        GatewayMethod.allCases.map(\.rawValue) + ["OPTIONS", "PATCH", "get", "CONNECT", ""]
    private static let names = [
        "Martlet-At-Least", "Cache-Control", "If-Match", "If-None-Match", "ETag", "Surrogate-Key",
        "Cache-Groups", "Martlet-TTL", "Martlet-Version", "Martlet-Wait", "Martlet-Soft",
        "Authorization", "Origin", "Sec-Fetch-Site", "Last-Event-ID", "Content-Range",
        "Access-Control-Request-Method",
    ]
    private static let origins: AllowedOrigins = {
        do {
            return try AllowedOrigins(["https://a.example", "http://b.example:8080"])
        } catch {
            fatalError("\(error)")
        }
    }()

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        let method = methods[script.below(methods.count)]
        var fields = FieldList()
        for _ in 0..<script.below(6) {
            let name = names[script.below(names.count)]
            fields.append(name, String(decoding: script.run(), as: UTF8.self))
        }
        let authority = script.isOdd() ? String(decoding: script.run(), as: UTF8.self) : nil
        let target = String(decoding: script.rest(), as: UTF8.self)
        let head = RequestHead(method, target, fields, authority: authority)
        let problems = [
            problem { () throws(Problem) in
                try PageGuard.check(head, isOpen: true, isTokenAsked: false, origins)
            },
            problem { () throws(Problem) in _ = try BearerToken.read(fields) },
            problem { () throws(Problem) in try look(GatewayOrder(head), head) },
            problem { () throws(Problem) in _ = try origins.preflight(head) },
        ]
        for case let problem? in problems { answer(problem) }
        askFromElsewhere(head)
    }

    private static func problem(_ body: () throws(Problem) -> Void) -> Problem? {
        do throws(Problem) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    /// It is JSON on one line, whatever it quotes.
    private static func answer(_ problem: Problem) {
        let answer = problem.answer
        check((400...599).contains(answer.status), "a problem has a status of one")
        do throws(JSONReader.Damage) {
            guard case .members(let members) = try JSONReader.read(answer.body) else {
                fatalError("a problem is an object")
            }
            check(members["status"] == .integer(answer.status), "a problem says its status")
        } catch {
            fatalError("a problem cannot be read: \(error.sentence)")
        }
        for field in answer.fields.fields { beField(field.value) }
    }

    /// A value that ends no line and begins no other field.
    private static func beField(_ value: String) {
        check(value.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a field is ASCII: \(value)")
    }

    private static func look(_ order: GatewayOrder, _ head: RequestHead) throws(Problem) {
        switch order {
        case .read(let read):
            name(read.key, read.namespace, "/v1/")
            var value = FoundValue(Array("v".utf8))
            value.tags = read.conditions.isThere ? [] : tags(head.fields)
            for field in read.answer(value).fields.fields { beField(field.value) }
            for field in read.absence.fields.fields { beField(field.value) }
        case .store(let store):
            name(store.key, store.namespace, "/v1/")
            check(store.tags.count <= Tag.perEntryMax, "a value's tags have their bound")
            check(Set(store.tags).count == store.tags.count, "each tag stands there once")
            if case .after(let time) = store.lifetime { check(time > .zero, "a value lives") }
        case .remove(let remove): name(remove.key, remove.namespace, "/v1/")
        case .purge(let purge):
            check(!purge.scopes.isEmpty, "a purge is of something")
            check(purge.scopes.count <= InvalidationRecord.scopesMax, "a purge has its bound")
        case .explain(let namespace, let key): name(key, namespace, "/v1/explain/")
        case .stream, .invalidate, .batch, .cluster, .document: break
        }
    }

    private static func tags(_ fields: FieldList) -> [Tag] {
        do throws(Problem) {
            return try TagText.tags(in: fields)
        } catch {
            return []
        }
    }

    private static func name(_ key: CacheKey, _ namespace: Namespace, _ root: String) {
        let path = root + namespace.name + "/" + PercentEncoding.path(key.bytes)
        do throws(Problem) {
            switch try Resource(target: path) {
            case .entry(let room, let other), .explanation(let room, let other):
                // `explain` is no namespace in a path; a key under it is one of another's.
                check(room == namespace && other == key, "\(path) names something else")
            default: fatalError("\(path) names no key")
            }
        } catch {
            check(namespace.name == "explain" && root == "/v1/", "\(path): \(error.detail)")
        }
    }

    /// Who is of another origin, and not allowed, changes nothing.
    private static func askFromElsewhere(_ head: RequestHead) {
        guard let origin = head.fields["Origin"], !origins.allows(origin) else { return }
        check(
            origins.fields(for: head)["Access-Control-Allow-Origin"] == nil,
            "\(origin) is not told that it may")
        guard head.authority == nil, head.method == "PUT" || head.method == "PURGE" else { return }
        let found = problem { () throws(Problem) in
            try PageGuard.check(head, isOpen: false, isTokenAsked: true, origins)
        }
        check(found?.kind == .foreignPage, "\(origin) may change things")
    }
}
