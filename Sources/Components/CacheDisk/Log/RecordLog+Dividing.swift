/// Values longer than a record are appended in parts, a slice per turn.
///
///     append ─▶ storing ── tick: part · part · … ─▶ tail ── all of them ──▶ the entry's record
extension RecordLog {
    /// Maximum bytes of a value: a quarter of the ring, so that its first part still exists when
    /// its entry is appended.
    var valueBytesMax: Int {
        min(DiskLimits.valueBytesMax, geometry.ringBytes / 4)
    }

    private var partBytesMax: Int { recordBytesMax - RecordHead.shortBytes }

    /// Minimum of a part that is not the last: less does not justify the end of a slot or segment.
    var partBytesMin: Int { partBytesMax / 4 }

    /// Maximum bytes of the record that lists a value's parts.
    var dividedHeadBytesMax: Int {
        min(
            recordBytesMax,
            DiskLimits.headBytesMax + PartList.bytes(valueBytesMax / partBytesMin + 1))
    }

    /// Whether a value can be stored in parts.
    ///
    /// - Parameter ringBytes: of the segments that have space.
    func canDivide(_ entry: borrowing DiskEntry, in ringBytes: Int) -> Bool {
        precondition(entry.isInRange, "lengths and counts fit a record")
        let list = PartList.bytes(entry.value.count / partBytesMin + 1)
        return entry.value.count <= min(valueBytesMax, ringBytes / 4)
            && entry.recordBytes - entry.value.count + list + 7 <= recordBytesMax
    }

    /// Accepts a store with too long a record. The previous record is already removed.
    ///
    /// - Parameter isAgain: it is stored again because its parts are reclaimed.
    /// - Returns: whether it is accepted; else too many bytes wait.
    mutating func divide(
        _ entry: borrowing DiskEntry, _ fingerprint: Fingerprint, _ account: DiskAccount,
        isAgain: Bool = false
    ) -> Bool {
        guard stores.hasRoom(for: entry.value.count) else { return false }
        var store = DividedStore(entry, fingerprint, account, isAgain: isAgain, seal: seal)
        store.reservedBytes = shareBytesMax(of: entry)
        shares.reserve(store.reservedBytes, account)
        stores.append(store)
        return true
    }

    /// Cancels the pending store of a fingerprint that gets another value, or none.
    mutating func endStore(_ fingerprint: Fingerprint) {
        guard let store = stores.remove(fingerprint) else { return }
        shares.reserve(-store.reservedBytes, store.account)
    }

    mutating func endStores() {
        for store in stores.removeAll() { shares.reserve(-store.reservedBytes, store.account) }
    }

    // MARK: In slices

    /// Whether ``storeSlice(keptFrom:)`` can make progress now.
    var canStore: Bool {
        stores.first.map { canAppend($0.nextRecordBytes(partBytesMin)) } ?? false
    }

    /// Appends parts of pending values.
    ///
    /// - Parameter oldest: segments before it are void, or about to be.
    mutating func storeSlice(keptFrom oldest: SegmentNumber) {
        var looked = 0
        while looked < DiskLimits.storedBytesPerSlice, canStore, let store = stores.first {
            if store.rest > 0 {
                guard let bytes = appendPart(of: store) else { return }
                looked += bytes
            } else {
                finish(store, keptFrom: oldest)
            }
        }
    }

    /// - Returns: how many bytes of the value; `nil` if there was no space.
    private mutating func appendPart(of store: DividedStore) -> Int? {
        let least = store.nextRecordBytes(partBytesMin)
        guard makeRoom(least, isRemoval: false) == nil else { return nil }
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
        shares.reserve(-taken, store.account)
        segments[self.place(of: active)].partCount += 1
        segments[self.place(of: active)].lasts(until: nil)
        stores.noteAppended(place, takenBytes: taken)
        return count
    }

    /// All parts are in the log: appends the entry's record.
    private mutating func finish(_ store: DividedStore, keptFrom oldest: SegmentNumber) {
        let isThere = store.list.places.allSatisfy { $0.segment >= oldest }
        let list = FoundRecord(
            bytes: store.head, value: store.list.encoded, fingerprint: store.fingerprint)
        let isStored = list.withEntry { entry in
            guard isThere,
                append(entry, store.fingerprint, store.account, of: store.value.count) == nil
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
        endStore(store.fingerprint)
    }
}

// MARK: Shares

extension RecordLog {
    mutating func account(of namespace: UnsafeRawBufferPointer) -> DiskAccount {
        shares.account(of: hasher.room(of: namespace))
    }

    /// Maximum ring bytes of an entry: one record, or parts and their list.
    func shareBytesMax(of entry: borrowing DiskEntry) -> Int {
        let bytes = entry.recordBytes
        guard bytes > recordBytesMax else { return bytes + SegmentFooter.entryBytes }
        let parts = entry.value.count / partBytesMin + 1
        let partHead = RecordHead.shortBytes + 7 + SegmentFooter.entryBytes
        return bytes + PartList.bytes(parts) + 7 + SegmentFooter.entryBytes + parts * partHead
    }
}

extension DividedStore {
    /// Minimum bytes of the next append.
    fileprivate func nextRecordBytes(_ partBytesMin: Int) -> Int {
        guard rest > 0 else { return (head.count + PartList.bytes(list.places.count) + 7) & ~7 }
        return PartPlace.recordBytes(min(rest, partBytesMin))
    }
}
