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

/// A field of a request, or a part of its query.
struct APIField {
    enum Place: String {
        case header, query
    }

    var name: String
    var description: String
    /// What its value has to match; `nil`: anything.
    var pattern: String?
    /// A value that does.
    var example: String?
    var place = Place.header
    /// Whether it may be there any number of times.
    var repeats = false
}

/// A body: its media type, and its schema in the document's components if it is JSON.
struct APIBody {
    var mediaType: String
    var schema: String?
    /// What it may be as well.
    var otherMediaTypes: [String] = []
    /// Whether the schema is that of each item of a stream.
    var isStream = false

    /// Of any type; this one where none is said.
    static let value = APIBody(
        mediaType: "application/octet-stream", otherMediaTypes: ["*/*"])
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
    /// Schemas of what goes over the connection afterwards: of the client's and the gateway's.
    var messages: (client: String, gateway: String)?
}
