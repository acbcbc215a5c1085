/// Makes a tree of the events of a text.
struct YAMLTreeReader {
    private let events: YAMLEventReader

    private init(_ events: YAMLEventReader) {
        self.events = events
    }

    /// The root of the one document in `text`; `nil` if there is no document.
    static func root(of text: String) throws(YAMLFault) -> YAMLNode? {
        try YAMLTreeReader(YAMLEventReader(text)).root()
    }

    private func root() throws(YAMLFault) -> YAMLNode? {
        var root: YAMLNode?
        while true {
            let event = try events.next()
            switch event.kind {
            case .streamEnd: return root
            case .documentStart where root != nil: throw .secondDocument(event.place)
            case .streamStart, .documentStart, .documentEnd: continue
            case .scalar, .sequenceStart, .mappingStart, .end:
                root = try node(event, depth: 0)
            }
        }
    }

    /// The value that begins with `event`.
    ///
    /// - Parameter depth: how many sequences and mappings contain it. The limit also bounds the
    ///   recursion, here and wherever the tree is walked or freed.
    private func node(_ event: YAMLEvent, depth: Int) throws(YAMLFault) -> YAMLNode {
        if case .scalar(let scalar) = event.kind {
            return YAMLNode(place: event.place, content: .scalar(scalar))
        }
        guard depth < ConfigurationLimits.nestingMax else { throw .tooDeep(event.place) }
        let nodes = try nodesUpToEnd(depth: depth + 1)
        guard case .mappingStart = event.kind else {
            return YAMLNode(place: event.place, content: .sequence(nodes))
        }
        let pairs = stride(from: 0, to: nodes.count - 1, by: 2).map {
            YAMLNode.Pair(key: nodes[$0], value: nodes[$0 + 1])
        }
        try Self.refuseDuplicates(pairs)
        return YAMLNode(place: event.place, content: .mapping(pairs))
    }

    /// What one sequence or mapping contains; of a mapping, keys and values in turn.
    private func nodesUpToEnd(depth: Int) throws(YAMLFault) -> [YAMLNode] {
        var nodes: [YAMLNode] = []
        while true {
            let event = try events.next()
            if case .end = event.kind { return nodes }
            nodes.append(try node(event, depth: depth))
        }
    }

    /// Refuses names that are written twice in one way, plain or not. `1` and `"1"` may differ in
    /// YAML; ``MappingReader`` refuses those where they are settings.
    private static func refuseDuplicates(_ pairs: [YAMLNode.Pair]) throws(YAMLFault) {
        var firsts: [YAMLNode.Scalar: (name: String, place: SourcePlace)] = [:]
        var duplicate: (name: String, place: SourcePlace)?
        for pair in pairs {
            guard case .scalar(let name) = pair.key.content else { continue }
            guard let first = firsts[name] else {
                firsts[name] = (name.text, pair.key.place)
                continue
            }
            // Of several the first of the alphabet, so that the order of keys does not matter.
            if let found = duplicate, found.name <= first.name { continue }
            duplicate = first
        }
        if let duplicate { throw .duplicateKey(duplicate.name, duplicate.place) }
    }
}
