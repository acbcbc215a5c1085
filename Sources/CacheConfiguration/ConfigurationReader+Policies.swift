import CacheModel
import Yams

extension ConfigurationReader {
    /// The listed namespaces, each complete.
    func readNamespaces(
        _ root: MappingReader, defaults: NamespacePolicy
    ) -> [Namespace: NamespacePolicy] {
        guard let reader = root.mapping("namespaces") else { return [:] }
        guard reader.entries.count <= ConfigurationLimits.namespacesMax else {
            root.add(
                "namespaces",
                "at most \(ConfigurationLimits.namespacesMax) can be listed; "
                    + "found \(reader.entries.count); let the others follow the defaults")
            return [:]
        }
        var policies: [Namespace: NamespacePolicy] = [:]
        for entry in reader.entries {
            let path = MappingReader.join(reader.path, entry.name)
            guard let namespace = Namespace(entry.name) else {
                problems.add(
                    entry.place, path,
                    "this is not a namespace's name; use 1 to 64 of a-z A-Z 0-9 . _ -")
                continue
            }
            guard let settings = MappingReader(entry.value, path: path, problems) else { continue }
            policies[namespace] = readPolicy(settings, over: defaults)
        }
        return policies
    }

    /// The policy that `reader` says; what it leaves out is taken from `base`.
    func readPolicy(_ reader: MappingReader, over base: NamespacePolicy) -> NamespacePolicy {
        reader.refuseUnknown([
            "ttl", "ttl-max", "value-max", "suspect", "blind-set", "hold-off", "load-lease",
            "stale-window",
        ])
        var policy = base
        readLifetimes(reader, into: &policy)
        policy.valueBytesMax = reader.byteSize(
            "value-max", default: base.valueBytesMax, in: ConfigurationLimits.valueBytes)
        policy.suspect = readSuspect(reader, default: base.suspect)
        policy.blindSet = reader.choice("blind-set", default: base.blindSet)
        policy.holdOff = reader.duration(
            "hold-off", default: base.holdOff, in: ConfigurationLimits.holdOff)
        policy.loadLease = reader.duration(
            "load-lease", default: base.loadLease, in: ConfigurationLimits.loadLease)
        policy.staleWindow = reader.duration(
            "stale-window", default: base.staleWindow, in: ConfigurationLimits.staleWindow)
        return policy
    }

    private func readLifetimes(_ reader: MappingReader, into policy: inout NamespacePolicy) {
        policy.timeToLive = reader.optionalDuration(
            "ttl", default: policy.timeToLive, in: ConfigurationLimits.timeToLive)
        policy.timeToLiveMax = reader.optionalDuration(
            "ttl-max", default: policy.timeToLiveMax, in: ConfigurationLimits.timeToLive)
        guard let own = policy.timeToLive, let longest = policy.timeToLiveMax, own > longest else {
            return
        }
        // One that is written here contradicts the other; one that is taken over is cut like any
        // other that is too long.
        if reader.entry("ttl") != nil {
            reader.add(
                "ttl",
                "\(DurationText.format(own)) is longer than ttl-max, "
                    + "\(DurationText.format(longest)); lower it or raise ttl-max")
        }
        policy.timeToLive = longest
    }

    private func readSuspect(
        _ reader: MappingReader, default fallback: NamespacePolicy.Suspect
    ) -> NamespacePolicy.Suspect {
        if case .scalar(let scalar)? = reader.entry("suspect")?.value,
            scalar.string == "revalidate"
        {
            reader.add(
                "suspect",
                "\"revalidate\" asks the origin, and a node has none yet; use serve or refuse")
            return fallback
        }
        return reader.choice("suspect", default: fallback)
    }
}
