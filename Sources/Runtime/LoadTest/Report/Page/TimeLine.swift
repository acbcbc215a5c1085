/// The phases of a run one after the other, for charts over time.
struct TimeLine {
    /// One moment and its time, in seconds since the start of the run.
    struct Place {
        var phase: Int
        var from: Double
        var to: Double
        var moment: Moment

        var middle: Double { (from + to) / 2 }
    }

    /// Most moments of a chart, all phases together.
    static let placeCountMax = 600

    let places: [Place]
    let bands: [Chart.Band]
    let end: Double

    init(_ phases: [PhaseFigures]) {
        let width = phases.map(\.seconds).reduce(0, +)
        var places: [Place] = []
        for (index, phase) in phases.enumerated() {
            let share = width > 0 ? phase.seconds / width : 1
            let room = max(8, Int(Double(Self.placeCountMax) * share))
            places += Self.places(of: phase, number: index, atMost: room)
        }
        self.places = places
        bands = phases.map {
            Chart.Band(
                name: $0.name, from: $0.offsetSeconds, to: $0.offsetSeconds + $0.seconds,
                isAside: $0.isWarmUp)
        }
        end = max(bands.map(\.to).max() ?? 0, places.map(\.to).max() ?? 0)
    }

    private static func places(
        of phase: PhaseFigures, number: Int, atMost room: Int
    ) -> [Place] {
        var series = phase.series.folded(to: room)
        series.joinShortEnd()
        var places: [Place] = []
        for (index, moment) in series.moments.enumerated() {
            let from = phase.offsetSeconds + Double(index) * series.momentSeconds
            let length = moment.seconds > 0 ? moment.seconds : series.momentSeconds
            places.append(Place(phase: number, from: from, to: from + length, moment: moment))
        }
        return places
    }

    /// Steps, each as long as its moment, because a value describes all of it; with gaps for
    /// unknown values and between phases.
    func steps(_ figure: (Moment) -> Double?) -> [Chart.Point?] {
        var points: [Chart.Point?] = []
        var phase = places.first?.phase
        for place in places {
            if place.phase != phase { points.append(nil) }
            phase = place.phase
            guard let value = figure(place.moment) else {
                points.append(nil)
                continue
            }
            points += [Chart.Point(x: place.from, y: value), Chart.Point(x: place.to, y: value)]
        }
        return points
    }

    /// A dot in the middle of each moment.
    func dots(_ figure: (Moment) -> Double?) -> [Chart.Point?] {
        places.map { place in
            figure(place.moment).map { Chart.Point(x: place.middle, y: $0) }
        }
    }

    func readings(_ values: (Moment) -> [String]) -> [Chart.Reading] {
        places.map { place in
            Chart.Reading(
                x: place.middle, title: Self.span(place.from, place.to),
                values: values(place.moment))
        }
    }

    /// `12–13 s`, or `2:05–2:06`.
    static func span(_ from: Double, _ to: Double) -> String {
        func text(_ seconds: Double) -> String {
            seconds >= 180 ? Axis.minutes(seconds) : tenths(seconds)
        }
        return text(from) + "–" + text(to) + (to >= 180 ? "" : " s")
    }

    private static func tenths(_ seconds: Double) -> String {
        FigureForm.plain((seconds * 10).rounded() / 10)
    }
}
