/// The sizes of slots: an eighth apart, multiples of eight bytes, from four pages on of pages.
///
/// A block takes the smallest class that holds it. Of a small slot at most an eighth is left over,
/// a sixteenth on average; of a paged slot the pages behind the block are never touched.
struct SizeClasses {
    /// A head, a key of a few bytes and next to no value.
    static let smallestBytes = 48

    /// Bytes of a slot, ascending.
    let bytes: [Int]
    /// For each number of eight-byte units up to the largest class, its class.
    private let classOfUnits: [UInt8]

    /// Slots of at least so many bytes are whole pages.
    let pagedBytesMin: Int

    /// - Parameter largest: no slot is larger; whole pages.
    init(largest: Int, pageBytes: Int) {
        pagedBytesMin = 4 * pageBytes
        var sizes: [Int] = []
        var size = Self.smallestBytes
        while size < largest {
            sizes.append(size)
            let grain = size < pagedBytesMin ? 8 : pageBytes
            let next = size + max(grain, size / 8)
            size =
                next < pagedBytesMin
                ? next / 8 * 8 : max(next / pageBytes * pageBytes, pagedBytesMin)
        }
        sizes.append(largest)
        precondition(sizes.count < 255, "a class is numbered in a byte")
        bytes = sizes
        var classes: [UInt8] = []
        var current = 0
        for units in 0...largest / 8 {
            while units * 8 > sizes[current] { current += 1 }
            classes.append(UInt8(current))
        }
        classOfUnits = classes
    }

    var largestBytes: Int { bytes[bytes.count - 1] }

    /// The class of a block; `nil` if it is larger than every slot.
    func find(_ blockBytes: Int) -> Int? {
        let units = (blockBytes + 7) / 8
        return units < classOfUnits.count ? Int(classOfUnits[units]) : nil
    }

    /// What a block is charged: its slot, or whole pages.
    func chargedBytes(block: Int, pageBytes: Int) -> Int {
        if let found = find(block), bytes[found] < pagedBytesMin { return bytes[found] }
        return (block + pageBytes - 1) / pageBytes * pageBytes
    }
}
