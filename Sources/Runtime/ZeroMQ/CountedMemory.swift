/// Memory that a frame owns, and where its bytes are counted.
// Unchecked: nothing of it changes; made by one thread and let go of by another, once, through
// libzmq's queues, so that one thread has it at a time.
final class CountedMemory: @unchecked Sendable {
    private let memory: UnsafeMutableRawPointer
    /// As how many its bytes are counted.
    private let weight: Int
    private let account: UnsentBytes

    init(_ memory: UnsafeMutableRawPointer, _ weight: Int, _ account: UnsentBytes) {
        self.memory = memory
        self.weight = weight
        self.account = account
    }

    /// Gives the memory back, on whichever thread was the last to have it.
    func letGo() {
        memory.deallocate()
        account.subtract(weight)
    }
}
