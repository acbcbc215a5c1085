import CacheModel

extension ConfigurationReader {
    /// The listed namespaces, each complete.
    ///
    /// - Parameter shardsMax: of the node that has most.
    func readNamespaces(
        _ root: MappingReader, defaults: NamespacePolicy, shardsMax: Int
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
            var policy = readPolicy(settings, over: defaults)
            policy.memory = readQuota(settings, shardsMax: shardsMax)
            policy.diskMost = settings.percent(
                "disk-max", default: .all, in: ConfigurationLimits.diskMost)
            policy.origin = OriginReader().read(settings)
            if policy.origin != nil, settings.entry("suspect") == nil {
                policy.suspect = defaults.suspect.whereAnOriginIs
            }
            policies[namespace] = policy
        }
        checkQuotas(policies, root)
        return policies
    }

    /// The policy that `reader` says; what it leaves out is taken from `base`.
    func readPolicy(_ reader: MappingReader, over base: NamespacePolicy) -> NamespacePolicy {
        reader.refuseUnknown([
            "ttl", "ttl-max", "ttl-jitter", "value-max", "suspect", "suspect-window",
            "blind-set", "hold-off", "load-lease", "stale-window", "replica-lag", "memory-max",
            "memory-guaranteed", "entries-max", "when-full", "disk-max", "origin",
        ])
        var policy = base
        readLifetimes(reader, into: &policy)
        policy.valueBytesMax = reader.byteSize(
            "value-max", default: base.valueBytesMax, in: ConfigurationLimits.valueBytes)
        policy.suspect = reader.choice("suspect", default: base.suspect)
        policy.suspectWindow = reader.duration(
            "suspect-window", default: base.suspectWindow, in: ConfigurationLimits.suspectWindow)
        policy.blindSet = reader.choice("blind-set", default: base.blindSet)
        policy.holdOff = reader.duration(
            "hold-off", default: base.holdOff, in: ConfigurationLimits.holdOff)
        policy.loadLease = reader.duration(
            "load-lease", default: base.loadLease, in: ConfigurationLimits.loadLease)
        policy.staleWindow = reader.duration(
            "stale-window", default: base.staleWindow, in: ConfigurationLimits.staleWindow)
        policy.replicaLag = reader.duration(
            "replica-lag", default: base.replicaLag, in: ConfigurationLimits.replicaLag)
        return policy
    }

    /// The policy that namespaces have which are not listed.
    func readDefaults(_ reader: MappingReader) -> NamespacePolicy {
        let own = [
            "memory-max": "a share of the memory", "memory-guaranteed": "a share of the memory",
            "entries-max": "a number of entries", "when-full": "what happens to a full namespace",
            "disk-max": "a share of the disk",
        ]
        for entry in reader.entries {
            guard let what = own[entry.name] else { continue }
            reader.add(
                entry.name,
                "\(what) is one namespace's own; give it under namespaces, to those that need it")
        }
        if reader.entry("origin") != nil {
            reader.add(
                "origin",
                "an origin is one namespace's own; give it under namespaces, to those that "
                    + "nodes shall load")
        }
        return readPolicy(reader, over: .standard)
    }

    private func readQuota(_ reader: MappingReader, shardsMax: Int) -> MemoryQuota {
        var quota = MemoryQuota(
            most: reader.percent(
                "memory-max", default: .all, in: ConfigurationLimits.memoryMost),
            guaranteed: reader.percent(
                "memory-guaranteed", default: .none, in: ConfigurationLimits.memoryGuaranteed))
        if quota.guaranteed > quota.most {
            reader.add(
                "memory-guaranteed",
                "\(PercentText.format(quota.guaranteed)) is more than memory-max, "
                    + "\(PercentText.format(quota.most)); lower it or raise memory-max")
        }
        quota.entriesMax = reader.entriesMax("entries-max", shards: shardsMax)
        quota.whenFull = reader.choice("when-full", default: quota.whenFull)
        if quota.whenFull == .refuse, quota.most == .all {
            reader.add(
                "when-full",
                "entries that are never evicted need a bound, or they take all of the memory; "
                    + "give a memory-max below 100%")
        }
        return quota
    }

    private func checkQuotas(
        _ policies: [Namespace: NamespacePolicy], _ root: MappingReader
    ) {
        // One without a bound has been refused by itself.
        let promising = policies.values.filter { $0.memory.promised != .all }
        let sum = promising.reduce(0) { $0 + $1.memory.promised.hundredths }
        if sum > ConfigurationLimits.memoryGuaranteedSumMax {
            let pinned = policies.values.contains { $0.memory.whenFull == .refuse }
            let what = pinned ? "with the memory-max of what says when-full: refuse, " : ""
            root.add(
                "namespaces",
                "\(what)memory-guaranteed comes to \(sum)% in all; leave it at "
                    + "\(ConfigurationLimits.memoryGuaranteedSumMax)% or less")
        }
        let count = policies.values.count { $0.memory != .standard }
        if count > ConfigurationLimits.quotasMax {
            root.add(
                "namespaces",
                "\(count) have a memory-max, memory-guaranteed, entries-max or when-full; "
                    + "give one to at most \(ConfigurationLimits.quotasMax)")
        }
        let bounded = policies.values.count { $0.diskMost < .all }
        if bounded > ConfigurationLimits.diskSharesMax {
            root.add(
                "namespaces",
                "\(bounded) have a disk-max below 100%; "
                    + "give one to at most \(ConfigurationLimits.diskSharesMax)")
        }
    }

    private func readLifetimes(_ reader: MappingReader, into policy: inout NamespacePolicy) {
        policy.timeToLive = reader.optionalDuration(
            "ttl", default: policy.timeToLive, in: ConfigurationLimits.timeToLive)
        policy.timeToLiveMax = reader.optionalDuration(
            "ttl-max", default: policy.timeToLiveMax, in: ConfigurationLimits.timeToLive)
        policy.timeToLiveJitter = reader.percent(
            "ttl-jitter", default: policy.timeToLiveJitter,
            in: ConfigurationLimits.timeToLiveJitter)
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
}

extension NamespacePolicy.Suspect {
    /// What holds in a namespace with an origin that does not say it itself, where `defaults` say
    /// this.
    var whereAnOriginIs: Self {
        switch self {
        case .serve, .serveThenRevalidate: .serveThenRevalidate
        // A configuration that wants no value in doubt goes on to get none.
        case .refuse, .revalidate: .revalidate
        }
    }
}
