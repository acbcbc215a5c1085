package import CacheModel

extension StandingCheck {
    /// When the next look is due; `nil` while nothing waits.
    package var nextDue: Instant? {
        queues.indices.compactMap { index in
            queues[index].first.flatMap { due($0, index) }
        }.min()
    }

    private func due(_ id: SampleID, _ delayIndex: Int) -> Instant? {
        samples[id]?.heardAt.advanced(by: plan.delays[delayIndex])
    }

    /// The looks to do now: of each delay in turn, the most overdue first, so that many new samples
    /// do not delay the old ones. Pass each answer to ``answered(_:_:askedAt:at:)``.
    package mutating func takeDue(at now: Instant, limit: Int) -> [NodeLook] {
        var looks: [NodeLook] = []
        var idleCount = 0
        while looks.count < limit, idleCount < queues.count {
            if let look = takeDue(in: nextQueue, at: now) {
                looks.append(look)
                idleCount = 0
            } else {
                idleCount += 1
            }
            nextQueue = (nextQueue + 1) % queues.count
        }
        return looks
    }

    private mutating func takeDue(in index: Int, at now: Instant) -> NodeLook? {
        while let id = queues[index].first {
            guard let sample = samples[id] else {
                queues[index].removeFirst()
                continue
            }
            guard sample.heardAt.advanced(by: plan.delays[index]) <= now else { return nil }
            queues[index].removeFirst()
            return NodeLook(
                sample: id, key: sample.key, position: sample.position, delayIndex: index)
        }
        return nil
    }

    /// Nodes have answered a look, or failed to: `nil`.
    ///
    /// - Returns: the look to repeat at once, if the answers left a doubt that a second look
    ///   settles.
    package mutating func answered(
        _ look: NodeLook, _ answers: [NodeID: NodeAnswer?], askedAt: Instant, at now: Instant
    ) -> NodeLook? {
        guard var sample = samples[look.sample] else { return nil }
        var findings = LookFindings(answers, askedAt: askedAt) {
            sample.finding($0, askedAt: askedAt, leaseBound: plan.leaseBound)
        }
        for (node, found) in findings.inOrder {
            sample.note(.answered(node, found.answer, found.finding), at: now)
            if let entry = found.answer?.entry { seen.note(sample.key, tags: entry.tags) }
            if let answer = found.answer, answer.isFresh, answer.isInCharge {
                origins.found(sample.key, on: node)
            }
        }
        if let first = sample.firstLook {
            sample.firstLook = nil
            findings = first.settled(by: findings)
        } else {
            lateness[look.delayIndex].note(
                askedAt.elapsed(since: sample.heardAt) - plan.delays[look.delayIndex])
            if findings.isDoubtful {
                sample.firstLook = findings
                samples[look.sample] = sample
                var second = look
                second.isSecond = true
                return second
            }
        }
        count(findings, look, &sample, at: now)
        goOn(with: sample, after: look)
        return nil
    }

    private mutating func count(
        _ findings: LookFindings, _ look: NodeLook, _ sample: inout KeySample, at now: Instant
    ) {
        if findings.isDiffering {
            tally.differingCount += 1
            sample.note(.differing, at: now)
        }
        for (node, found) in findings.inOrder {
            figures[look.delayIndex][node, default: NodeFigures()].count(found.finding)
            guard case .wrong(let fault) = found.finding, let answer = found.answer else {
                continue
            }
            tally.wrongCount += 1
            guard brokenPromises.count < StandingLimits.violationsKept else { continue }
            brokenPromises.append(
                BrokenPromise(
                    key: sample.key, position: sample.position, node: node, fault: fault,
                    delay: found.askedAt.elapsed(since: sample.heardAt), answer: answer,
                    history: sample.history))
        }
    }

    private mutating func goOn(with sample: KeySample, after look: NodeLook) {
        if look.delayIndex + 1 < plan.delays.count {
            samples[look.sample] = sample
            queues[look.delayIndex + 1].append(look.sample)
        } else {
            samples[look.sample] = nil
            samplesOfKey[sample.key]?.removeAll { $0 == look.sample }
            if samplesOfKey[sample.key]?.isEmpty == true { samplesOfKey[sample.key] = nil }
        }
    }
}
