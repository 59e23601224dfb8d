import FHIR
import FHIRValidation
import Foundation
import Testing

@testable import StudyDelivery
@testable import StudyFormats

/// What of a person may be sent.
struct SafeHarborTests {
    private func patient(_ details: ParticipantDetails) -> (Patient, [String]) {
        let (patient, omissions) = SafeHarbor.patient(id: UUID(), details, on: "2026-11-22")
        return (patient, omissions.map(\.element))
    }

    @Test(
        "ages are counted to the day, and from 90 on are one group",
        arguments: [
            ("1936-11-23", "2026-11-22", 1936), ("1936-11-22", "2026-11-22", 1936),
            ("1935-01-01", "2026-11-22", 1936),
            ("1900-05-05", "2026-11-22", 1936), ("1938-06-01", "2026-11-22", 1938),
            ("2000-01-01", "2026-11-22", 2000),
            ("1936-02-29", "2026-02-28", 1936), ("1936-02-29", "2026-03-01", 1936),
            ("1932-02-29", "2022-03-01", 1932),
            ("1932-02-29", "2022-02-28", 1932), ("1932-02-29", "2023-02-28", 1933),
            ("1937", "2026-11-22", 1937),
            ("1935", "2026-11-22", 1936), ("1935-12", "2026-11-22", 1936), ("1935-12-01", "2026-11-22", 1936),
        ]
    )
    func ages(_ birth: String, _ today: String, _ year: Int) throws {
        let birth = try #require(FHIRDate(text: birth)), today = try #require(FHIRDate(text: today))
        #expect(SafeHarbor.birthYear(birth, on: today) == year)
    }

    @Test("the group begins on the ninetieth birthday; a day before, the year is sent")
    func ninetieth() {
        // Born in 1935, reference year 2025: the group's year is the year of birth; a year later they differ.
        #expect(SafeHarbor.birthYear("1935-11-22", on: "2026-11-21") == 1936)
        #expect(SafeHarbor.birthYear("1936-12-31", on: "2026-12-30") == 1936)
        // Of a year alone it may be that the ninetieth birthday was.
        #expect(SafeHarbor.birthYear("1930", on: "2026-11-22") == 1936)
        #expect(SafeHarbor.birthYear("2026-11-23", on: "2026-11-22") == nil)
        #expect(SafeHarbor.birthYear("2026-11-22", on: "2026-11-22") == 2026)
        #expect(patient(ParticipantDetails(birthDate: "2030-01-01")).1 == ["birthDate"])
    }

    @Test("all 17 restricted prefixes become 000, and others keep three digits")
    func postalCodes() {
        #expect(SafeHarbor.restrictedPrefixes.count == 17)
        for prefix in SafeHarbor.restrictedPrefixes {
            #expect(SafeHarbor.prefix(ofPostalCode: prefix + "12") == "000")
        }
        #expect(SafeHarbor.prefix(ofPostalCode: "02115") == "021")
        #expect(SafeHarbor.prefix(ofPostalCode: "03601-1234") == "000")
        for wrong in ["0211", "02115-", "0211５", "SW1A 1AA", "021151234", "", "02115-123a"] {
            #expect(SafeHarbor.prefix(ofPostalCode: wrong) == nil, "\(wrong)")
        }
    }

    @Test(
        "the United States are known by their names, and others give only the country",
        arguments: ["US", "us", "USA ", "U.S.", "U.S.A.", "United States", "United States of America", "840"]
    )
    func unitedStates(_ country: String) {
        let (patient, omissions) = patient(
            ParticipantDetails(country: country, state: "Massachusetts", postalCode: "02115")
        )
        #expect(patient.address.first?.state == "MA" && patient.address.first?.postalCode == "021")
        #expect(patient.address.first?.country == "US" && omissions.isEmpty)
    }

    @Test("an unknown country sends neither state nor postal code; free text is no state")
    func unknownCountry() {
        for country in ["", "Usbekistan", "us of nowhere", "UUS", nil] {
            let (patient, omissions) = patient(
                ParticipantDetails(country: country, state: "MA", postalCode: "02115")
            )
            #expect(patient.address.isEmpty, "\(country ?? "nil")")
            #expect(omissions.contains("address.state") && omissions.contains("address.postalCode"))
        }
        let (german, _) = patient(ParticipantDetails(country: "de", state: "Bayern", postalCode: "80331"))
        #expect(german.address.first?.tree == ["country": "DE"])
        let (free, omissions) = patient(
            ParticipantDetails(country: "US", state: "12 Main Street, Boston", postalCode: "02115")
        )
        #expect(free.address.first?.state == nil && omissions == ["address.state"])
        for (country, state) in [("PR", nil as String?), ("US", "Puerto Rico"), ("Vi", nil), ("US", "DC")] {
            #expect(
                patient(ParticipantDetails(country: country, state: state)).0.address.first?.state?.count == 2
            )
        }
    }

    @Test("the Patient is valid, and has nothing but what was allowed")
    func valid() {
        let details = ParticipantDetails(
            birthDate: "1970-03-29",
            gender: .female,
            country: "US",
            state: "NY",
            postalCode: "10001"
        )
        let (patient, _) = patient(details)
        #expect(patient.issues().filter(\.isError).isEmpty)
        #expect(patient.birthDate?.description == "1970")
        #expect(
            Set((patient.tree.members ?? []).map(\.name)) == [
                "resourceType", "id", "gender", "birthDate", "address",
            ]
        )
    }
}
