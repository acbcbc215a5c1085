package import CacheModel

extension OriginScheduler {
    /// Replaces the namespaces that have an origin.
    ///
    /// Waiting loads use the new policy. A namespace that lost its origin answers waiting loads
    /// with `.noOrigin`; attempts under way are awaited. A namespace with another address starts
    /// anew, with nothing known of it, but attempts still under way count.
    ///
    /// - Complexity: O(n log n) for n policies, and O(log loads) for each load it refuses.
    package mutating func configure(
        _ policies: [Namespace: OriginPolicy], now: Instant, into actions: inout [Action]
    ) {
        for gate in gates.indices.map(GateNumber.init(index:)) {
            guard let namespace = gates[gate.index].namespace else { continue }
            if policies[namespace] == nil {
                gates[gate.index].policy = nil
                answerWaiting(at: gate, .noOrigin, retryAfter: nil, into: &actions)
            }
            settle(gate, now: now, into: &actions)
        }
        // Sorted by name: the order of a dictionary differs from run to run, and one seed must give
        // one result.
        for (namespace, policy) in policies.sorted(by: { $0.key.name < $1.key.name }) {
            let gate = gateNumber(of: namespace)
            gates[gate.index].adopt(policy)
            settle(gate, now: now, into: &actions)
        }
    }

    private mutating func gateNumber(of namespace: Namespace) -> GateNumber {
        if let known = gateNumbers[namespace] { return known }
        let number: GateNumber
        if let free = freeGates.popLast() {
            number = free
            gates[free.index] = OriginGate(namespace: namespace)
        } else {
            number = GateNumber(index: gates.count)
            gates.append(OriginGate(namespace: namespace))
        }
        gateNumbers[namespace] = number
        return number
    }

    /// A gate that lost its origin stays until its last attempt is finished.
    mutating func releaseIfDone(_ gate: GateNumber) {
        guard let namespace = gates[gate.index].namespace, gates[gate.index].isDone else { return }
        gateNumbers[namespace] = nil
        gates[gate.index] = OriginGate(namespace: nil)
        freeGates.append(gate)
    }
}
