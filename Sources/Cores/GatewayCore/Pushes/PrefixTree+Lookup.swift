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
