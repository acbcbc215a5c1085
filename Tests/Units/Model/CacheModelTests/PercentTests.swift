import CacheModel
import Testing

@Suite struct PercentTests {
    @Test func thereIsNoneBelowNothingOrAboveAll() {
        #expect(Percent(-1) == nil && Percent(101) == nil)
        #expect(Percent(0) == Percent.none && Percent(100) == Percent.all)
    }

    @Test func aShareIsRoundedDownAndNeverOverflows() {
        #expect(Percent(33)?.of(10) == 3)
        #expect(Percent(1)?.of(99) == 0)
        #expect(Percent.all.of(.max) == .max && Percent.none.of(.max) == 0)
        #expect(Percent(50)?.of(.max) == .max / 2)
    }
}
