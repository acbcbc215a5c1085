/// The settings of a workload. The raw value is the name in files; a flag has two dashes before it.
package enum WorkloadSetting: String, CaseIterable, Sendable {
    case name, warmUp = "warm-up", fill
    case duration, operations
    case connections, inFlight = "in-flight", batch
    case rate, arrivals
    case mix, keys, distribution, keySize = "key-size", valueSize = "value-size"
    case verify
    case phases, seed
}
