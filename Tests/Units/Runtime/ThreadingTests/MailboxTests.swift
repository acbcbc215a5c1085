import Testing
import Threading
import ZeroMQ

@Suite struct MailboxTests {
    /// Whether the bell is heard right now.
    private func rings<Letter>(_ mailbox: Mailbox<Letter>) throws -> Bool {
        var poller = Poller()
        let bell = poller.add(mailbox.wakeup)
        _ = try poller.wait(timeout: .zero)
        return poller.isReady(bell)
    }

    @Test func lettersAreTakenOnceInTheOrderOfPosting() throws {
        let mailbox = try Mailbox<Int>()
        for letter in 1...3 { mailbox.post(letter) }
        #expect(mailbox.takeAll() == [1, 2, 3])
        #expect(mailbox.takeAll() == [])
        mailbox.post(4)
        #expect(mailbox.takeAll() == [4])
    }

    @Test func theBellRingsWhileLettersLieThereAndIsSilentAfterwards() throws {
        let mailbox = try Mailbox<String>()
        #expect(try !rings(mailbox))
        mailbox.post("a")
        mailbox.post("b")
        #expect(try rings(mailbox))
        _ = mailbox.takeAll()
        #expect(try !rings(mailbox))
        mailbox.post("c")
        #expect(try rings(mailbox))
    }

    @Test func lettersThatWereGivenBackAreTakenFirstAndRing() throws {
        let mailbox = try Mailbox<Int>()
        for letter in 1...3 { mailbox.post(letter) }
        let letters = mailbox.takeAll()
        mailbox.post(4, rings: false)
        mailbox.giveBack(letters.dropFirst())
        #expect(try rings(mailbox))
        #expect(mailbox.takeAll() == [2, 3, 4])
        mailbox.giveBack([])
        #expect(try !rings(mailbox))
    }

    @Test func aMessagePostedSilentlyIsTakenWithTheNextSignalledOne() throws {
        let mailbox = try Mailbox<Int>()
        mailbox.post(1, rings: false)
        #expect(try !rings(mailbox))
        mailbox.post(2)
        mailbox.post(3, rings: false)
        #expect(try rings(mailbox))
        #expect(mailbox.takeAll() == [1, 2, 3])
        #expect(try !rings(mailbox))
        mailbox.post(4, rings: false)
        #expect(mailbox.takeAll(isHeard: false) == [4])
    }

    /// A look may come between a letter and its ring: the bell is left to the poller.
    @Test func takingWithoutClearingTheSignalWakesTheReaderOnceMore() throws {
        let mailbox = try Mailbox<Int>()
        mailbox.post(1)
        #expect(mailbox.takeAll(isHeard: false) == [1])
        #expect(try rings(mailbox))
        #expect(mailbox.takeAll() == [])
        #expect(try !rings(mailbox))
        mailbox.post(2)
        #expect(try rings(mailbox))
    }

    /// The owner sleeps in its poller without a deadline: a bell that is overheard once would
    /// leave it there.
    @Test func nothingIsOverheardWhileManyPostAndTheOwnerTakes() throws {
        let (senderCount, letterCount) = (4, 2_000)
        let mailbox = try Mailbox<(sender: Int, number: Int)>()
        let senders = try (0..<senderCount).map { sender in
            try OwnedThread(name: "sender-\(sender)") {
                for number in 0..<letterCount { mailbox.post((sender, number)) }
            }
        }
        var poller = Poller()
        _ = poller.add(mailbox.wakeup)
        var next = Array(repeating: 0, count: senderCount)
        while next.reduce(0, +) < senderCount * letterCount {
            _ = try poller.wait(timeout: nil)
            for (sender, number) in mailbox.takeAll() {
                #expect(number == next[sender])
                next[sender] = number + 1
            }
        }
        for sender in senders { sender.join() }
        #expect(mailbox.takeAll().isEmpty)
    }
}
