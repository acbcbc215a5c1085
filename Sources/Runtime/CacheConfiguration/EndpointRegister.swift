/// The setting that has each endpoint, so that two cannot have one.
struct EndpointRegister {
    private var owners: [EndpointText: String] = [:]

    /// Gives `endpoint` to the setting `path`, or adds a problem if another has it.
    mutating func claim(
        _ endpoint: EndpointText, path: String, place: SourcePlace, _ problems: ProblemList
    ) {
        guard let owner = owners.updateValue(path, forKey: endpoint) else { return }
        owners[endpoint] = owner
        problems.add(
            place, path, "\(endpoint) is taken by \(owner) already; give each its own port")
    }
}
