/// What each method of each resource does, for the document. The test holds it against the routes.
extension ResourceShape {
    func operation(_ method: GatewayMethod) -> APIOperation {
        switch self {
        case .entry: entryOperation(method)
        case .namespace:
            purge(
                "Invalidates what has the tags that Surrogate-Key or Cache-Groups name.",
                [.surrogateKey, .groups])
        case .batch:
            APIOperation(
                summary: "Gets up to \(BatchOrder.keysMax) keys at once, or stores as many.",
                fields: [.atLeast, .readControl, .wantedRight], body: .json("Batch"),
                answers: [
                    APIAnswer(
                        status: 200, description: "A result for each key, in their order.",
                        body: .json("Results"))
                ], problems: [.malformedBody, .bodyTooLarge])
        case .invalidations:
            APIOperation(
                summary: "Invalidates keys, tags, prefixes, namespaces or everything.",
                body: .json("Invalidation"), answers: Self.receipts,
                problems: [.malformedBody, .bodyTooLarge, .conflict])
        case .explanation:
            APIOperation(
                summary: "Tells what each node knows of a key, and why it would show it or not.",
                answers: [
                    APIAnswer(
                        status: 200, description: "What the nodes say.", body: .json("Object"))
                ], problems: [.conflict])
        case .stream: stream
        case .cluster:
            APIOperation(
                summary: "Lists the publisher and the nodes, with their state and metrics.",
                answers: [
                    APIAnswer(
                        status: 200, description: "Publisher and nodes.", body: .json("Cluster"))
                ])
        case .document: Self.document("OpenAPI 3.2.")
        case .olderDocument: Self.document("OpenAPI 3.1.")
        }
    }

    private static func document(_ version: String) -> APIOperation {
        APIOperation(
            summary: "This document.",
            answers: [APIAnswer(status: 200, description: version, body: .json("Object"))])
    }

    private var stream: APIOperation {
        APIOperation(
            summary: "Streams invalidations as they happen.",
            fields: APIField.streamQuery + [
                .lastEvent, .upgrade, .connection, .webSocketVersion, .webSocketKey,
            ],
            answers: [
                APIAnswer(
                    status: 101,
                    description: "A WebSocket. Each text frame is a PushMessage. A first message "
                        + "of the client, a StreamRequest, may say what the query does not.",
                    fields: ["Upgrade", "Connection", "Sec-WebSocket-Accept"],
                    messages: ("StreamRequest", "PushMessage")),
                APIAnswer(
                    status: 200, description: "Without Upgrade: server-sent events.",
                    fields: ["X-Accel-Buffering"],
                    body: APIBody(
                        mediaType: "text/event-stream", schema: "PushEvent", isStream: true)),
            ])
    }

    private func entryOperation(_ method: GatewayMethod) -> APIOperation {
        switch method {
        case .get, .head, .post:
            APIOperation(
                summary: "Gets a value.",
                fields: [
                    .atLeast, .readControl, .wantedRight, .ifMatch, .ifNoneMatch, .range, .ifRange,
                ],
                answers: [
                    APIAnswer(
                        status: 200, description: "The value.", fields: Self.bodyFields,
                        body: .value),
                    APIAnswer(
                        status: 206, description: "To a GET with Range: that part of the value.",
                        fields: Self.bodyFields + ["Content-Range"], body: .value),
                    APIAnswer(
                        status: 304, description: "If-None-Match names it: it is still current.",
                        fields: Self.valueFields),
                ],
                problems: [
                    .notFound, .preconditionFailed, .unsatisfiableRange, .originFailed, .notCached,
                    .conflict,
                ])
        case .put:
            APIOperation(
                summary: "Stores a value. Any Content-Type is taken, and kept with it.",
                fields: [
                    .lifetime, .storeControl, .version, .right, .etag, .surrogateKey, .groups,
                    .contentEncoding, .contentLanguage, .ifMatch, .ifNoneMatch,
                ], body: .value,
                answers: [
                    APIAnswer(
                        status: 204, description: "It is stored.", fields: Self.storedFields),
                    APIAnswer(
                        status: 202,
                        description: "It is stored, and sent to its origin later.",
                        fields: Self.storedFields),
                ],
                problems: [
                    .preconditionFailed, .conflict, .bodyTooLarge, .valueTooLarge, .originFailed,
                    .full,
                ])
        case .delete:
            APIOperation(
                summary: "Removes a key on every node. One that is not there is removed, too.",
                fields: [.ifMatch, .ifNoneMatch],
                answers: [
                    APIAnswer(
                        status: 204, description: "It is gone.", fields: ["Martlet-Position"])
                ], problems: [.preconditionFailed, .conflict])
        case .purge: purge("Invalidates a key.", [])
        }
    }

    private func purge(_ summary: String, _ fields: [APIField]) -> APIOperation {
        APIOperation(
            summary: summary, fields: fields + [.wait, .soft], answers: Self.receipts,
            problems: [.conflict])
    }

    private static let receipts = [
        APIAnswer(
            status: 200, description: "What was waited for is reached: the receipt.",
            body: .json("Receipt")),
        APIAnswer(
            status: 202,
            description: "It is in force, but not applied everywhere yet: the receipt so far.",
            body: .json("Receipt")),
    ]

    private static let storedFields = [
        "Martlet-Position", StoreOrder.fencedField, StoredValue.nodesField,
    ]

    private static let bodyFields =
        valueFields + [
            RepresentationText.encodingField, RepresentationText.languageField,
            "Content-Security-Policy",
        ]

    private static let valueFields = [
        "ETag", "Age", "Cache-Control", "Cache-Status", "Surrogate-Key", "Cache-Groups",
        "Martlet-Position", "Martlet-Version", "Martlet-Node", "Accept-Ranges",
        ReadOrder.nginxField,
        StoreOrder.fencedField, ReadOrder.overtakenField,
    ]
}
