/// The subscribers to keys and prefixes of one namespace: a tree of bytes, in which names with an
/// equal beginning share a path.
///
///     root ── "user:" ┬─ "42:" (prefix of 7)
///                     └─ "9"   (key of 3, prefix of 3 and 5)
///
/// One way down finds a key with all prefixes that cover it; the names below a prefix are the rest
/// of one branch. The empty prefix is the whole namespace.
///
/// - Complexity: as many steps as the name has bytes, at most, plus what is found.
struct PrefixTree: Sendable {
    /// The kind of a subscriber's interest at a node.
    enum Kind {
        case key
        case prefix
    }

    struct Node: Sendable {
        /// The bytes between its parent and itself.
        var label: [UInt8]
        var parent: Int
        /// By the first byte of their labels.
        var children: [Int] = []
        var keySlots: [Int] = []
        var prefixSlots: [Int] = []

        var isIdle: Bool { keySlots.isEmpty && prefixSlots.isEmpty }
    }

    private(set) var nodes = [Node(label: [], parent: 0)]
    private var freeNodes: [Int] = []

    /// Whether there are no subscribers.
    var isEmpty: Bool { nodes[0].isIdle && nodes[0].children.isEmpty }

    // MARK: Changing

    mutating func insert(_ name: [UInt8], _ kind: Kind, _ slot: Int) {
        let node = makeNode(name[...])
        switch kind {
        case .key: nodes[node].keySlots.append(slot)
        case .prefix: nodes[node].prefixSlots.append(slot)
        }
    }

    /// - Precondition: it was inserted.
    mutating func remove(_ name: [UInt8], _ kind: Kind, _ slot: Int) {
        guard let node = node(of: name) else {
            preconditionFailure("only an inserted name is removed")
        }
        switch kind {
        case .key: nodes[node].keySlots.removeOne(slot)
        case .prefix: nodes[node].prefixSlots.removeOne(slot)
        }
        prune(node)
    }

    /// The node of a name, and those on the way to it.
    private mutating func makeNode(_ name: ArraySlice<UInt8>) -> Int {
        var node = 0
        var rest = name
        while !rest.isEmpty {
            guard let child = child(of: node, for: rest[rest.startIndex]) else {
                return attach(Array(rest), to: node)
            }
            let shared = Self.sharedCount(nodes[child].label, rest)
            node = shared < nodes[child].label.count ? split(child, at: shared) : child
            rest = rest.dropFirst(shared)
        }
        return node
    }

    private mutating func attach(_ label: [UInt8], to parent: Int) -> Int {
        let node = Node(label: label, parent: parent)
        let place: Int
        if let free = freeNodes.popLast() {
            nodes[free] = node
            place = free
        } else {
            nodes.append(node)
            place = nodes.count - 1
        }
        let slot = nodes[parent].children.firstIndex { nodes[$0].label[0] > label[0] }
        nodes[parent].children.insert(place, at: slot ?? nodes[parent].children.count)
        return place
    }

    /// Puts a node between a node and its parent.
    private mutating func split(_ node: Int, at count: Int) -> Int {
        let parent = nodes[node].parent
        let label = nodes[node].label
        nodes[parent].children.removeAll { $0 == node }
        let middle = attach(Array(label[..<count]), to: parent)
        nodes[node].label = Array(label[count...])
        nodes[node].parent = middle
        nodes[middle].children = [node]
        return middle
    }

    /// Removes nodes without a use: a leaf without subscribers, and a node without subscribers that
    /// has one child only.
    private mutating func prune(_ start: Int) {
        var node = start
        while node != 0, nodes[node].isIdle {
            let parent = nodes[node].parent
            if nodes[node].children.isEmpty {
                nodes[parent].children.removeAll { $0 == node }
                release(node)
                node = parent
            } else {
                if nodes[node].children.count == 1 { bridge(node) }
                return
            }
        }
    }

    private mutating func bridge(_ node: Int) {
        let parent = nodes[node].parent
        let child = nodes[node].children[0]
        nodes[child].label = nodes[node].label + nodes[child].label
        nodes[child].parent = parent
        if let place = nodes[parent].children.firstIndex(of: node) {
            nodes[parent].children[place] = child
        }
        release(node)
    }

    private mutating func release(_ node: Int) {
        nodes[node] = Node(label: [], parent: 0)
        freeNodes.append(node)
    }

    // MARK: Looking

    func child(of node: Int, for byte: UInt8) -> Int? {
        nodes[node].children.first { nodes[$0].label[0] == byte }
    }

    static func sharedCount(_ label: [UInt8], _ rest: ArraySlice<UInt8>) -> Int {
        zip(label, rest).prefix { $0 == $1 }.count
    }

    private func node(of name: [UInt8]) -> Int? {
        var node = 0
        var rest = name[...]
        while let first = rest.first {
            guard let child = child(of: node, for: first), rest.starts(with: nodes[child].label)
            else { return nil }
            rest = rest.dropFirst(nodes[child].label.count)
            node = child
        }
        return node
    }
}

/// Finds the subscribers that a scope touches. A subscriber may be found more than once.
extension PrefixTree {
    /// Finds the subscribers to this key, or to a prefix of it.
    func covering(key: [UInt8], into found: inout [Int]) {
        var node = 0
        var rest = key[...]
        found += nodes[0].prefixSlots
        while let first = rest.first {
            guard let child = child(of: node, for: first), rest.starts(with: nodes[child].label)
            else { return }
            rest = rest.dropFirst(nodes[child].label.count)
            found += nodes[child].prefixSlots
            node = child
        }
        found += nodes[node].keySlots
    }

    /// Finds the subscribers to a key or a prefix that begins with this one, or to a prefix of it.
    func touching(prefix: [UInt8], into found: inout [Int]) {
        var node = 0
        var rest = prefix[...]
        while let first = rest.first {
            found += nodes[node].prefixSlots
            guard let child = child(of: node, for: first) else { return }
            let shared = Self.sharedCount(nodes[child].label, rest)
            // Either the label or the prefix has to be used up.
            guard shared == nodes[child].label.count || shared == rest.count else { return }
            rest = rest.dropFirst(shared)
            node = child
        }
        below(node, into: &found)
    }

    /// Finds all subscribers in this namespace.
    func all(into found: inout [Int]) { below(0, into: &found) }

    private func below(_ start: Int, into found: inout [Int]) {
        var waiting = [start]
        while let node = waiting.popLast() {
            found += nodes[node].prefixSlots
            found += nodes[node].keySlots
            waiting += nodes[node].children
        }
    }
}
