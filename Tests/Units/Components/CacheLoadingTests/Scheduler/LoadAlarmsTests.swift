import CacheModel
import Testing

@testable import CacheLoading

@Suite struct LoadAlarmsTests {
    @Test(arguments: UInt64(1)...30)
    func alarmsMatchASortedModelAndUseBoundedMemory(seed: UInt64) {
        var (alarms, dice) = (LoadAlarms(), Jitter(seed: seed))
        var model: [LoadTicket: Instant] = [:]
        for step: UInt64 in 1...2_000 {
            let roll = dice.upTo(.nanoseconds(9_999)).wholeNanoseconds
            let ticket = LoadTicket(shard: 0, number: roll % 150)
            switch roll % 7 {
            case 0, 1, 2, 3:
                let dueAt = Instant(nanoseconds: step + roll / 7 % 500)
                alarms.set(ticket, at: dueAt)
                model[ticket] = dueAt
            case 4:
                alarms.clear(ticket)
                model[ticket] = nil
            default:
                let due = alarms.takeDue(now: Instant(nanoseconds: step))
                let soonest = model.values.min()
                let isDue = soonest.map { $0 <= Instant(nanoseconds: step) } ?? false
                #expect((due != nil) == isDue)
                if let due { #expect(model.removeValue(forKey: due) == soonest) }
            }
            #expect(alarms.next == model.values.min())
            #expect(alarms.count == model.count)
            #expect(alarms.heldCount <= 2 * model.count + 64)
        }
    }

    @Test func alarmsDueTogetherAreTakenInTheOrderTheyWereSet() {
        var alarms = LoadAlarms()
        let now = Instant(nanoseconds: 5)
        for number: UInt64 in [3, 1, 2] {
            alarms.set(LoadTicket(shard: 0, number: number), at: now)
        }
        var order: [UInt64] = []
        while let due = alarms.takeDue(now: now) { order.append(due.number) }
        #expect(order == [3, 1, 2])
    }
}
