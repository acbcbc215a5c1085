extension WorkloadPhase {
    /// Whether `text` may be a phase's name.
    package static func isName(_ text: String) -> Bool {
        WorkloadLimits.nameBytes.contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// Problems that do not depend on threads and machines.
    package var problems: [WorkloadProblem] {
        var found = outOfRange + endProblems
        if !Self.isName(name) {
            found.add(.name, "it is no name; use 1 to 64 of a-z A-Z 0-9 . _ -")
        }
        if batch > inFlightMax {
            found.add(
                .batch,
                "a message of \(batch) is never full with \(inFlightMax) in flight; lower it or "
                    + "raise in-flight")
        }
        if verifies, valueSize.bytesMin < WorkloadLimits.verifiedValueBytesMin {
            found.add(
                .valueSize,
                "a value that is verified carries its key, version and checksum; give at least "
                    + "\(WorkloadLimits.verifiedValueBytesMin)B")
        }
        if verifies, effectiveMix.contains(.insert) {
            found.add(
                .mix,
                "insert makes keys that the verifier does not know; use set instead, or do not "
                    + "verify")
        }
        return found
    }

    /// Problems with this number of threads and machines.
    func problems(_ threadCount: Int, workerCount: Int) -> [WorkloadProblem] {
        var found: [WorkloadProblem] = []
        let owners = threadCount * workerCount
        if keyCount < owners {
            found.add(
                .keys,
                "each thread owns some, and there are \(owners) threads on all machines; give at "
                    + "least \(owners)")
        }
        for (setting, count) in [
            (WorkloadSetting.connections, connectionCount), (.inFlight, inFlightMax),
        ] where count < threadCount {
            found.add(
                setting,
                "each of \(threadCount) threads needs one; give at least \(threadCount), or "
                    + "fewer threads")
        }
        if connectionCount > inFlightMax {
            found.add(
                .connections,
                "\(connectionCount) share \(inFlightMax) in flight; raise in-flight or give "
                    + "fewer connections")
        }
        return found
    }

    private var endProblems: [WorkloadProblem] {
        if isFill || duration != nil || operationCount != nil { return [] }
        return [
            WorkloadProblem(
                .duration, "nothing ends the phase; give a duration such as 10s, or operations")
        ]
    }

    private var outOfRange: [WorkloadProblem] {
        var found: [WorkloadProblem] = []
        func check(_ setting: WorkloadSetting, _ value: Int?, _ range: ClosedRange<Int>) {
            guard let value, !range.contains(value) else { return }
            found.add(
                setting,
                "\(value) is out of range; give \(range.lowerBound) to \(range.upperBound)")
        }
        check(.operations, operationCount, WorkloadLimits.operations)
        check(.connections, connectionCount, WorkloadLimits.connections)
        check(.inFlight, inFlightMax, WorkloadLimits.inFlight)
        check(.batch, batch, WorkloadLimits.batch)
        check(.keys, keyCount, WorkloadLimits.keys)
        if case .open(let perSecond, _) = loop { check(.rate, perSecond, WorkloadLimits.rate) }
        for (setting, size, range) in [
            (WorkloadSetting.keySize, keySize, WorkloadLimits.keyBytes),
            (.valueSize, valueSize, WorkloadLimits.valueBytes),
        ] {
            check(setting, size.bytesMin, range)
            check(setting, size.bytesMax, range)
        }
        if let duration, !WorkloadLimits.duration.contains(duration) {
            found.add(
                .duration,
                "\(duration) is out of range; give \(WorkloadLimits.duration.lowerBound) to "
                    + "\(WorkloadLimits.duration.upperBound)")
        }
        return found
    }
}
