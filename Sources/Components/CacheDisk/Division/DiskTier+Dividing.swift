/// Values longer than a record are appended in parts, a slice per turn.
///
///     append ─▶ storing ── tick: part · part · … ─▶ tail ── all of them ──▶ the entry's record
extension DiskTier {
    /// Maximum bytes of a value: a quarter of the ring, so that its first part still exists when
    /// its entry is appended.
    package var valueBytesMax: Int {
        min(DiskLimits.valueBytesMax, geometry.ringBytes / 4)
    }

    /// Maximum bytes of a part.
    private var partBytesMax: Int { recordBytesMax - RecordHead.shortBytes }

    /// Minimum of a part that is not the last: less does not justify the end of a slot or segment.
    var partBytesMin: Int { partBytesMax / 4 }

    /// Maximum bytes of the record that lists a value's parts.
    var dividedHeadBytesMax: Int {
        min(
            recordBytesMax,
            DiskLimits.headBytesMax + PartList.bytes(valueBytesMax / partBytesMin + 1))
    }

    /// Accepts a store with too long a record. The previous record on disk is removed.
    ///
    /// - Parameter isAgain: it is stored again because its parts are reclaimed.
    mutating func divide(
        _ entry: borrowing DiskEntry, _ fingerprint: Fingerprint, _ account: DiskAccount,
        isAgain: Bool = false, into commands: inout [DiskCommand]
    ) -> ShedCause? {
        precondition(entry.isInRange, "lengths and counts fit a record")
        let list = PartList.bytes(entry.value.count / partBytesMin + 1)
        guard entry.value.count <= min(valueBytesMax, usedRingBytes / 4),
            entry.recordBytes - entry.value.count + list + 7 <= recordBytesMax
        else { return .tooLarge }
        remove(fingerprint, into: &commands)
        guard storing.isEmpty || storingBytes + entry.value.count <= DiskLimits.storingBytesMax
        else { return .tailFull }
        var store = DividedStore(entry, fingerprint, account, isAgain: isAgain, seal: seal)
        store.reservedBytes = shareBytesMax(of: entry)
        shares.reserve(store.reservedBytes, account)
        storing.append(store)
        storingBytes += entry.value.count
        return nil
    }

    /// Cancels the pending store of a fingerprint that gets another value, or none.
    mutating func endStoring(_ fingerprint: Fingerprint) {
        guard !storing.isEmpty,
            let number = storing.firstIndex(where: { $0.fingerprint == fingerprint })
        else { return }
        let store = storing.remove(at: number)
        storingBytes -= store.value.count
        shares.reserve(-store.reservedBytes, store.account)
    }

    mutating func endStoringAll() {
        for store in storing { shares.reserve(-store.reservedBytes, store.account) }
        storing.removeAll()
        storingBytes = 0
    }

    // MARK: In slices

    /// Whether ``storeSlice(into:)`` can make progress now.
    var canStore: Bool {
        storing.first.map { canAppend($0.nextRecordBytes(partBytesMin)) } ?? false
    }

    /// Whether there is space for it without using the reserve of other records.
    func canAppend(_ bytes: Int) -> Bool {
        guard hasSegment(for: bytes) else { return false }
        let goesOn = active != .none && fits(bytes + (canBegin ? 0 : removalReserve))
        // As in `makeRoom`: the last slot is for removals.
        let fitsSlot = goesOn && tail.roomBytes >= bytes && tail.freeCount > 0
        return fitsSlot || tail.freeCount >= DiskLimits.slotsLeftByParts
    }

    /// Appends parts of pending values.
    mutating func storeSlice(into commands: inout [DiskCommand]) {
        var looked = 0
        while looked < DiskLimits.storedBytesPerSlice, canStore {
            if storing[0].rest > 0 {
                guard let bytes = appendPart(into: &commands) else { return }
                looked += bytes
            } else {
                finishStore(into: &commands)
            }
        }
    }

    /// - Returns: how many bytes of the value; `nil` if there was no space.
    private mutating func appendPart(into commands: inout [DiskCommand]) -> Int? {
        let store = storing[0]
        let least = store.nextRecordBytes(partBytesMin)
        guard makeRoom(least, isRemoval: false, into: &commands) == nil else { return nil }
        let room = min(tail.roomBytes, segmentRoomBytes) - RecordHead.shortBytes
        let count = min(store.rest, partBytesMax, room & ~7)
        let place = PartPlace(segment: active, offset: end, byteCount: count)
        let (writing, from) = (RecordWriting(seal: seal, segment: active), store.list.valueBytes)
        let tag = shares.tag(of: store.account)
        store.value.withUnsafeBytes { value in
            let part = UnsafeRawBufferPointer(rebasing: value[from..<from + count])
            tail.append(place.recordBytes) {
                writing.write(
                    part, of: store.fingerprint, tag, into: $0, at: place.offset)
            }
        }
        appended(
            .part, store.fingerprint, place.recordBytes, LengthClass(bytes: place.recordBytes),
            store.account)
        let taken = place.recordBytes + SegmentFooter.entryBytes
        storing[0].reservedBytes -= taken
        shares.reserve(-taken, store.account)
        segments[ring(active)].partCount += 1
        segments[ring(active)].lasts(until: nil)
        storing[0].list.append(place)
        return count
    }

    /// All parts are in the log: appends the entry's record.
    private mutating func finishStore(into commands: inout [DiskCommand]) {
        let store = storing[0]
        let oldest = oldestKept
        let isThere = store.list.places.allSatisfy { $0.segment >= oldest }
        let list = FoundRecord(
            bytes: store.head, value: store.list.encoded, fingerprint: store.fingerprint)
        let isStored = list.withEntry { entry in
            guard isThere,
                place(
                    entry, store.fingerprint, store.account, of: store.value.count,
                    into: &commands) == nil
            else { return false }
            if store.isAgain {
                noteAgain(store.value.count)
            } else {
                noteStored(entry.key.count + store.value.count, store.value.count)
            }
            statistics.dividedStores += 1
            return true
        }
        if isStored != true { statistics.storesShed += 1 }
        endStoring(store.fingerprint)
    }
}

extension DividedStore {
    /// Minimum bytes of the next append.
    fileprivate func nextRecordBytes(_ partBytesMin: Int) -> Int {
        guard rest > 0 else { return (head.count + PartList.bytes(list.places.count) + 7) & ~7 }
        return PartPlace.recordBytes(min(rest, partBytesMin))
    }
}
