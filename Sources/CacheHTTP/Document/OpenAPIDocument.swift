/// The API as an OpenAPI 3.1 document, made of the same tables that requests are read by.
package enum OpenAPIDocument {
    /// What may be wrong with any request.
    static let commonProblems: [ProblemKind] = [
        .malformedTarget, .malformedField, .invalidArgument, .unauthenticated, .forbidden,
        .foreignPage, .unknownRoute, .methodNotAllowed, .slowRequest, .misdirected, .headTooLarge,
        .fault, .clusterDenies, .badAnswer, .unreachable, .busy, .behind, .stopping, .timedOut,
    ]

    package static let document: JSONDocument = .object([
        ("openapi", .text("3.1.0")),
        (
            "info",
            .object([
                ("title", .text("Martlet gateway")), ("version", .text("1")),
                (
                    "description",
                    .text(
                        "Reads, stores and invalidations of a Martlet cluster. PURGE, which "
                            + "OpenAPI has no place for, stands under x-purge.")
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

    private static var paths: JSONDocument {
        .object(
            ResourceShape.allCases.map { shape in
                let parameters = shape.parameterNames.map(Self.parameter)
                let methods = shape.methods.map { method in
                    (name(of: method), json(shape.operation(method), isHead: method == .head))
                }
                return (shape.rawValue, .object([("parameters", .list(parameters))] + methods))
            })
    }

    private static func name(of method: GatewayMethod) -> String {
        method == .purge ? "x-purge" : method.rawValue.lowercased()
    }

    private static func parameter(_ name: String) -> JSONDocument {
        let pattern = name == "key" ? "^[A-Za-z0-9_~:-]{1,200}$" : "^[A-Za-z0-9_-]{1,64}$"
        return .object([
            ("name", .text(name)), ("in", .text("path")), ("required", .bool(true)),
            ("schema", .object([("type", .text("string")), ("pattern", .text(pattern))])),
        ])
    }

    private static func json(_ operation: APIOperation, isHead: Bool) -> JSONDocument {
        var members: [JSONDocument.Member] = [("summary", .text(operation.summary))]
        if !operation.fields.isEmpty {
            members.append(("parameters", .list(operation.fields.map(json))))
        }
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
        return .object([
            ("name", .text(field.name)), ("in", .text("header")),
            ("description", .text(field.description)), ("schema", .object(schema)),
        ])
    }

    private static func json(_ answer: APIAnswer, isHead: Bool) -> JSONDocument {
        var members: [JSONDocument.Member] = [("description", .text(answer.description))]
        if !answer.fields.isEmpty {
            let fields = answer.fields.map { name in
                (name, JSONDocument.object([("schema", .object([("type", .text("string"))]))]))
            }
            members.append(("headers", .object(fields)))
        }
        if let body = answer.body, !isHead { members.append(("content", content(body))) }
        return .object(members)
    }

    private static func content(_ body: APIBody) -> JSONDocument {
        let schema = body.schema.map { name in
            [("schema", JSONDocument.object([("$ref", .text("#/components/schemas/\(name)"))]))]
        }
        return .object([(body.mediaType, .object(schema ?? []))])
    }
}

extension ResourceShape {
    /// What stands in braces in its path.
    var parameterNames: [String] {
        ["namespace", "key"].filter { rawValue.contains("{\($0)}") }
    }
}
