import FHIR
import Foundation
import OrderedJSON
import StudyFormats
import StudyWarehouse
import WebServing

/// How many participants the states have, as a map of squares (SVG).
///
/// Numbers are those of ``ShownCount``. A state of fewer than five participants looks like one of none:
/// otherwise the map, which anybody may look at, would show when the first one of a state takes part.
package struct ParticipationMap {
    private let counts: [String: ShownCount]

    /// A map of the numbers of participants, by the states' postal codes.
    package init(_ counts: [String: Int]) {
        self.counts = counts.mapValues { ShownCount($0) }.filter { $0.value != .fewerThanFive }
    }

    /// The state of a Patient's first address; `nil` where that is not a state or territory.
    static func state(of patient: JSONValue) -> String? {
        guard let address = Patient(tree: patient)?.address.first, let state = address.state else {
            return nil
        }
        let details = ParticipantDetails(country: "US", state: state)
        guard let day = FHIRDate(text: "2026-01-01") else { return nil }
        return SafeHarbor.patient(id: UUID(), details, on: day).patient.address.first?.state
    }

    /// Column and row of each square: west to east, north to south.
    private static let squares: [(row: Int, states: [(column: Int, code: String)])] = [
        (0, [(0, "AK"), (10, "ME")]),
        (1, [(9, "VT"), (10, "NH")]),
        (
            2,
            [
                (0, "WA"), (1, "ID"), (2, "MT"), (3, "ND"), (4, "MN"), (5, "IL"), (6, "WI"), (7, "MI"),
                (8, "NY"), (9, "RI"),
                (10, "MA"),
            ]
        ),
        (
            3,
            [
                (0, "OR"), (1, "NV"), (2, "WY"), (3, "SD"), (4, "IA"), (5, "IN"), (6, "OH"), (7, "PA"),
                (8, "NJ"), (9, "CT"),
            ]
        ),
        (
            4,
            [
                (0, "CA"), (1, "UT"), (2, "CO"), (3, "NE"), (4, "MO"), (5, "KY"), (6, "WV"), (7, "VA"),
                (8, "MD"), (9, "DE"),
            ]
        ),
        (5, [(1, "AZ"), (2, "NM"), (3, "KS"), (4, "AR"), (5, "TN"), (6, "NC"), (7, "SC"), (8, "DC")]),
        (6, [(3, "OK"), (4, "LA"), (5, "MS"), (6, "AL"), (7, "GA")]),
        (7, [(0, "HI"), (3, "TX"), (8, "FL"), (9, "PR"), (10, "VI")]),
    ]

    /// The map.
    package var svg: String {
        let largest = max(counts.values.max()?.number ?? 0, 1)
        var squares = Markup.empty
        for (row, states) in Self.squares {
            for (column, code) in states {
                let count = counts[code]
                let shown = count?.description ?? ""
                let title = "\(code): \((count ?? .fewerThanFive).description)"
                // Five shades.
                let shade = count.map { 1 + min(4, 4 * $0.number / largest) } ?? 0
                let fill = ["#eceff1", "#bbdefb", "#90caf9", "#42a5f5", "#1e88e5", "#1565c0"][shade]
                let ink = shade >= 4 ? "#ffffff" : "#102027"
                squares += """
                    <g transform="translate(\(column * 44) \(row * 44))"><title>\(title)</title>\
                    <rect width="40" height="40" rx="4" fill="\(fill)"/><text x="20" y="17" \
                    fill="\(ink)">\(code)</text>\
                    <text x="20" y="33" fill="\(ink)">\(shown)</text></g>
                    """
            }
        }
        let markup: Markup = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 -8 496 364" role="img" \
            aria-label="Participants by state" \
            font-family="sans-serif" font-size="12" text-anchor="middle">\(squares)</svg>
            """
        return markup.description
    }
}
