/// Messages in flight.
extension World {
    func makeLink(highWaterMark: Int = 1_000) -> Int {
        links.append(
            Link(
                delayMicroseconds: settings.linkDelayMicroseconds, highWaterMark: highWaterMark))
        return links.count - 1
    }

    /// Sends without waiting: a message that the link does not accept is lost.
    func send(_ cargo: Parcel.Cargo, over link: Int, run: Int) {
        let state = links[link]
        if state.cutCount > 0
            || state.dropPerMille > 0 && dice.chance(perMille: state.dropPerMille)
        {
            tally.drops += 1
            return note(.world, "drops a message of link", link)
        }
        guard state.underWayCount + state.held.count < state.highWaterMark else {
            tally.overflows += 1
            return note(.world, "overflows link", link)
        }
        let parcel = Parcel(link: link, connection: state.connection, run: run, cargo: cargo)
        guard state.holdCount == 0 else { return links[link].held.append(parcel) }
        dispatch(parcel)
        if state.duplicatePerMille > 0, dice.chance(perMille: state.duplicatePerMille) {
            dispatch(parcel)
        }
    }

    func dispatch(_ parcel: Parcel) {
        let link = parcel.link
        let soonest = now + dice.span(microseconds: links[link].delayMicroseconds)
        let arrival = max(soonest, links[link].lastArrival + Span(nanoseconds: 1))
        links[link].lastArrival = arrival
        links[link].underWayCount += 1
        queue.add(.arrives(parcel), at: arrival)
    }

    func arrive(_ parcel: Parcel) throws(Violation) {
        let isOfThisConnection = parcel.connection == links[parcel.link].connection
        if isOfThisConnection {
            links[parcel.link].underWayCount -= 1
        } else if case .toPublisher = parcel.cargo {
            // A closed DEALER lingers: its queued messages still leave, on the old connection.
        } else {
            return
        }
        switch parcel.cargo {
        case .live(let frame): arrive(live: frame, at: runs[parcel.run], parcel.link)
        case .control(let frame): arrive(control: frame, at: runs[parcel.run], parcel.link)
        case .toPublisher(let peer, let frame):
            guard publisher.isUp, publisher.owners[peer] != nil else { return }
            publisher.frames.append((peer, frame))
            wakePublisher(at: soon())
        case .subscription(let run):
            guard publisher.isUp else { return }
            publisher.subscriptions[run] = links[runs[run].links.live].connection
            publisher.subscriptionCount += 1
            wakePublisher(at: soon())
        case .request(let place, let frame): arrive(request: frame, at: place)
        case .answer(let answer): try received(answer)
        case .receipt(let frame): try receivedByWriter(frame)
        }
    }

    private func arrive(live frame: [UInt8], at run: SimulatedRun, _ link: Int) {
        guard !run.isDead else { return }
        guard run.liveFrames.count < links[link].highWaterMark else {
            tally.overflows += 1
            return
        }
        run.liveFrames.append(frame)
        wake(run, at: soon())
    }

    private func arrive(control frame: [UInt8], at run: SimulatedRun, _ link: Int) {
        guard !run.isDead, run.controlFrames.count < links[link].highWaterMark else { return }
        run.controlFrames.append(frame)
        wake(run, at: soon())
    }

    private func arrive(request frame: [UInt8], at place: ShardPlace) {
        guard !runs[place.run].isDead else { return }
        let shard = shard(at: place)
        shard.requests.append(SimulatedShard.Request(peer: Self.clientPeer, bytes: frame))
        wake(shard, at: soon())
    }

    /// The time until a thread notices its input.
    func soon() -> WorldTime {
        now + .microseconds(dice.number(in: 5...60))
    }

    /// Delivers the delayed messages, in order.
    func release(_ link: Int) {
        links[link].holdCount -= 1
        guard links[link].holdCount == 0 else { return }
        let held = links[link].held
        links[link].held = []
        for parcel in held where parcel.connection == links[link].connection { dispatch(parcel) }
    }
}
