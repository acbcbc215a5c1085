import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire

/// What a log has touched, as it lies in a file, with the checksums made right.
///
///     manner 1 (bit 0: sealed; 1: a page is put behind it), namesBytes 1, file
enum FloorsFuzz: FuzzTarget {
    static let name = "floors"

    private static let headBytes = 96
    private static let pageBytes = 8 + 6 * 1_024

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        let manner = script.byte()
        let namesBytes = Int(script.byte())
        var file = script.restCopied()
        if manner & 2 == 2 { appendPage(to: &file) }
        if manner & 1 == 1 { seal(&file, min(namesBytes, max(file.count - headBytes, 0))) }
        guard let snapshot = file.withUnsafeBytes({ FloorSnapshot(stored: $0) }) else { return }
        writeAgain(snapshot)
        ask(snapshot)
        travel(snapshot)
    }

    /// A page of which the last bytes so far are the front.
    private static func appendPage(to file: inout [UInt8]) {
        guard file.count > headBytes else { return }
        let front = file.suffix(min(64, file.count - headBytes))
        file.removeLast(front.count)
        file += front + repeatElement(0, count: pageBytes - front.count)
    }

    private static func seal(_ file: inout [UInt8], _ namesBytes: Int) {
        guard file.count >= headBytes else { return }
        let pages = file.count - headBytes - namesBytes
        file.put("MARTFLR1", at: 0)
        file.put(pages / pageBytes, at: 64, bytes: 4)
        file.put(namesBytes, at: 68, bytes: 4)
        file.seal(headBytes..<headBytes + namesBytes, at: 72)
        file.seal(12..<headBytes, at: 8)
        for page in 0..<pages / pageBytes {
            let from = headBytes + namesBytes + page * pageBytes
            file.seal(from + 4..<from + pageBytes, at: from)
        }
    }

    private static func writeAgain(_ snapshot: FloorSnapshot) {
        let again = written { writer in
            snapshot.encodeHead(into: &writer)
            var page = 0
            while page < FloorSnapshot.pageCount {
                page = snapshot.encodePages(from: page, bytesMax: 1 << 20, into: &writer)
            }
        }
        let other = again.withUnsafeBytes { FloorSnapshot(stored: $0) }
        check(other == snapshot, "a snapshot is written otherwise than it was read")
    }

    private static func ask(_ snapshot: FloorSnapshot) {
        guard let key = CacheKey("images/1"), let tag = Tag("news") else { return }
        for namespace in Array(snapshot.names.namespaces.keys.prefix(3)) + [.default] {
            let floors = [
                snapshot.floor(ofKey: key, in: namespace),
                snapshot.floor(ofTag: tag, in: namespace),
            ]
            check(floors.allSatisfy { $0 <= .max }, "a floor is a number of a record")
        }
    }

    /// What the publisher tells of it is what a node takes.
    private static func travel(_ snapshot: FloorSnapshot) {
        let part = snapshot.part(from: 0, above: .none)
        var message = FloorSnapshotPart(
            log: snapshot.log, asOf: snapshot.asOf, completeSince: snapshot.completeSince,
            firstBucket: part.first, nextBucket: part.next)
        message.everything = part.names.everything
        message.namespaces = part.names.namespaces.map { .init($0, $1) }
        message.prefixes = part.names.prefixes.map { .init($0.bytes, in: $0.namespace, $1) }
        message.buckets = part.entries.map { .init($0.bucket, $0.sequence) }
        let frame = written { message.encode(requestID: 1, into: &$0) }
        frame.withUnsafeBytes { bytes in
            do throws(WireRefusal) {
                let other = try FloorSnapshotPart(decoding: MessageView(decoding: bytes))
                check(other == message, "a part travels as it is")
            } catch {
                fatalError("a part that is told can be taken: \(error)")
            }
        }
    }
}
