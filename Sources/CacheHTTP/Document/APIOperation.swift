/// One method of one resource, as the document describes it.
struct APIOperation {
    var summary: String
    var fields: [APIField] = []
    /// Of the request; `nil`: it takes none.
    var body: APIBody?
    /// What is answered where nothing is wrong.
    var answers: [APIAnswer]
    /// What may be wrong with it beside what may be wrong with every request.
    var problems: [ProblemKind] = []
}

/// A field of a request.
struct APIField {
    var name: String
    var description: String
    var pattern: String?
}

/// A body: its media type, and its schema in the document's components if it is JSON.
struct APIBody {
    var mediaType: String
    var schema: String?

    static let value = APIBody(mediaType: "application/octet-stream")
    static func json(_ schema: String) -> APIBody {
        APIBody(mediaType: "application/json", schema: schema)
    }
}

/// A status that means success.
struct APIAnswer {
    var status: Int
    var description: String
    var fields: [String] = []
    var body: APIBody?
}
