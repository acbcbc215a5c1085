import CacheModel

/// The API as an OpenAPI 3.2 document, made of the same tables that requests are read by. 3.2 is
/// the first that has a place for PURGE, and for what a stream is made of.
package enum OpenAPIDocument {
    /// What may be wrong with any request.
    static let commonProblems: [ProblemKind] = [
        .malformedTarget, .malformedField, .invalidArgument, .unauthenticated, .forbidden,
        .foreignPage, .unknownRoute, .methodNotAllowed, .slowRequest, .misdirected, .headTooLarge,
        .fault, .unknownCoding, .clusterDenies, .badAnswer, .unreachable, .busy, .behind, .stopping,
        .timedOut,
    ]

    /// What any answer may have.
    private static let commonFields = [TraceField.requestID, TraceField.parent]

    /// As it is served: one line.
    package static let line = document.line

    /// The same for what reads OpenAPI 3.1 and nothing newer, as most generators do.
    package static let olderLine = older(document).line

    /// In the words of 3.1. What has no place there begins with `x-`, which it passes over: PURGE,
    /// and the items of a stream.
    static func older(_ document: JSONDocument) -> JSONDocument {
        guard case .members(var members) = document else {
            guard case .list(let values) = document else { return document }
            return .list(values.map(older))
        }
        let extensions = ["additionalOperations", "itemSchema"]
        members.values = members.values.map(older)
        for (index, name) in members.names.enumerated() {
            if extensions.contains(name) { members.names[index] = "x-\(name)" }
            if name == "openapi" { members.values[index] = .text("3.1.1") }
        }
        return .members(members)
    }

    /// Made anew each time.
    package static var document: JSONDocument {
        .object([
            ("openapi", .text("3.2.0")),
            (
                "info",
                .object([
                    ("title", .text("Martlet gateway")), ("version", .text("1")),
                    (
                        "description",
                        .text(
                            "Reads, stores and invalidations of a Martlet cluster, and a stream of "
                                + "invalidations.")
                    ),
                ])
            ),
            ("servers", .list([.object([("url", .text("/"))])])),
            ("security", .list([.object([]), .object([("bearer", .list([]))])])),
            ("paths", paths),
            (
                "components",
                .object([
                    ("schemas", .object(schemas)),
                    (
                        "securitySchemes",
                        .object([
                            (
                                "bearer",
                                .object([("type", .text("http")), ("scheme", .text("bearer"))])
                            )
                        ])
                    ),
                ])
            ),
        ])
    }

    private static var paths: JSONDocument {
        .object(
            ResourceShape.allCases.map { shape in
                let parameters = shape.parameterNames.map(Self.parameter)
                var members: [JSONDocument.Member] = [("parameters", .list(parameters))]
                for method in shape.methods where method != .purge {
                    let operation = json(shape.operation(method), isHead: method == .head)
                    members.append((method.rawValue.lowercased(), operation))
                }
                if shape.methods.contains(.purge) {
                    let purge = (GatewayMethod.purge.rawValue, json(shape.operation(.purge)))
                    members.append(("additionalOperations", .object([purge])))
                }
                return (shape.rawValue, .object(members))
            })
    }

    /// What a name in a path stands for, percent-encoding undone.
    ///
    /// Clients take `.` and `..` out of paths, and `explain` as a namespace is another resource.
    private static func parameter(_ name: String) -> JSONDocument {
        let schema: [JSONDocument.Member] =
            name == "key"
            ? [
                ("type", .text("string")), ("minLength", .integer(1)),
                ("maxLength", .integer(CacheKey.bytesMax)),
                ("pattern", .text("^(?![.]{1,2}$)[\\s\\S]*$")),
            ]
            : [
                ("type", .text("string")),
                (
                    "pattern",
                    .text("^(?!(?:explain|[.]{1,2})$)[A-Za-z0-9._-]{1,\(Namespace.bytesMax)}$")
                ),
            ]
        return .object([
            ("name", .text(name)), ("in", .text("path")), ("required", .bool(true)),
            ("schema", .object(schema)),
        ])
    }

    private static func json(_ operation: APIOperation, isHead: Bool = false) -> JSONDocument {
        var members: [JSONDocument.Member] = [("summary", .text(operation.summary))]
        members.append(("parameters", .list((operation.fields + [.trace]).map(json))))
        if let body = operation.body {
            members.append(
                ("requestBody", .object([("required", .bool(true)), ("content", content(body))])))
        }
        var responses = operation.answers.map { answer in
            ("\(answer.status)", json(answer, isHead: isHead))
        }
        let problems = commonProblems + operation.problems
        for status in Set(problems.map(\.status)).sorted() {
            let titles = problems.filter { $0.status == status }.map {
                "\(Problem.typePrefix)\($0.rawValue): \($0.title)."
            }
            var response: [JSONDocument.Member] = [
                ("description", .text(titles.joined(separator: " ")))
            ]
            if !isHead {
                let problem = APIBody(mediaType: "application/problem+json", schema: "Problem")
                response.append(("content", content(problem)))
            }
            responses.append(("\(status)", .object(response)))
        }
        return .object(members + [("responses", .object(responses))])
    }

    private static func json(_ field: APIField) -> JSONDocument {
        var schema: [JSONDocument.Member] = [("type", .text("string"))]
        if let pattern = field.pattern { schema.append(("pattern", .text(pattern))) }
        var members: [JSONDocument.Member] = [
            ("name", .text(field.name)), ("in", .text(field.place.rawValue)),
            ("description", .text(field.description)),
        ]
        var example = field.example.map { JSONDocument.text($0) }
        if field.repeats {
            let list: [JSONDocument.Member] = [
                ("type", .text("array")), ("items", .object(schema)),
            ]
            members.append(("schema", .object(list)))
            example = example.map { .list([$0]) }
        } else {
            members.append(("schema", .object(schema)))
        }
        if let example { members.append(("example", example)) }
        return .object(members)
    }

    private static func json(_ answer: APIAnswer, isHead: Bool) -> JSONDocument {
        var members: [JSONDocument.Member] = [("description", .text(answer.description))]
        let fields = (answer.fields + commonFields).map { name in
            (name, JSONDocument.object([("schema", .object([("type", .text("string"))]))]))
        }
        members.append(("headers", .object(fields)))
        if let body = answer.body, !isHead { members.append(("content", content(body))) }
        if let messages = answer.messages {
            let schemas: [JSONDocument.Member] = [
                ("client", reference(messages.client)), ("gateway", reference(messages.gateway)),
            ]
            members.append(("x-messages", .object(schemas)))
        }
        return .object(members)
    }

    private static func content(_ body: APIBody) -> JSONDocument {
        let schema = body.schema.map { name in
            [(body.isStream ? "itemSchema" : "schema", reference(name))]
        }
        return .object(
            ([body.mediaType] + body.otherMediaTypes).map { ($0, .object(schema ?? [])) })
    }
}

extension ResourceShape {
    /// What stands in braces in its path.
    var parameterNames: [String] {
        ["namespace", "key"].filter { rawValue.contains("{\($0)}") }
    }
}
