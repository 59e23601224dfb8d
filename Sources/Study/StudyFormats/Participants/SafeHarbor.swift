import FHIR
import Foundation
import IndivoBase

/// Data that identifies somebody less than a name does, before the Safe Harbor rule is applied.
public struct ParticipantDetails: Sendable, Hashable {
    /// The date of birth, as precisely as it is known.
    public var birthDate: FHIRDate?
    public var gender: AdministrativeGender?
    /// The country: an ISO 3166 code, or a name of the United States.
    public var country: String?
    /// A state, district or territory of the United States: its postal abbreviation or its English name.
    public var state: String?
    /// A ZIP code of the United States.
    public var postalCode: String?

    /// Details.
    public init(
        birthDate: FHIRDate? = nil,
        gender: AdministrativeGender? = nil,
        country: String? = nil,
        state: String? = nil,
        postalCode: String? = nil
    ) {
        self.birthDate = birthDate
        self.gender = gender
        self.country = country
        self.state = state
        self.postalCode = postalCode
    }
}

/// De-identification by Safe Harbor (45 CFR 164.514(b)(2)(i)): year of birth with ages over 89 in one group,
/// a state of the United States, three digits of a ZIP code. Values that are not recognised are left out, and
/// named.
///
/// ```swift
/// let (patient, omissions) = SafeHarbor.patient(id: enrolment.participant, details, on: today)
/// ```
public enum SafeHarbor {
    /// Something that is not in the result although it was given, and why. It never quotes what was given.
    public struct Omission: Sendable, Hashable, CustomStringConvertible {
        /// The element of `Patient`.
        public let element: String
        /// Why, as a sentence without a full stop.
        public let reason: String

        public var description: String { "\(element): \(reason)" }
    }

    /// The first three digits of ZIP codes under which 20,000 people or fewer live, which are replaced by
    /// `000`. They follow Census 2000, as the guidance of the Department of Health and Human Services (2012)
    /// does.
    public static let restrictedPrefixes: Set<String> = [
        "036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830", "831", "878", "879",
        "884", "890", "893",
    ]

    /// The age from which on all are one group.
    public static let oldestGroup = 90

    /// The de-identified Patient.
    ///
    /// - Parameters:
    ///   - id: The random id of the participant.
    ///   - date: The day on which ages are counted; it has a month and day.
    public static func patient(
        id: UUID,
        _ details: ParticipantDetails,
        on date: FHIRDate
    ) -> (patient: Patient, omissions: [Omission]) {
        var patient = Patient()
        var omissions: [Omission] = []
        patient.id = id.uuidString
        patient.gender = details.gender
        if let birthDate = details.birthDate {
            if let year = birthYear(birthDate, on: date) {
                patient.birthDate = FHIRDate(year: year)
            } else {
                omissions.append(
                    Omission(element: "birthDate", reason: "it is after the day on which ages are counted")
                )
            }
        }
        let address = address(details, &omissions)
        if let address { patient.address = [address] }
        return (patient, omissions)
    }

    /// The year of birth that may be sent: the year itself below the age of 90, and for all who are 90 or
    /// older, or may be, the year 90 years before `date`. `nil` for a birth after `date`.
    ///
    /// Somebody who was born on 29 February becomes a year older on 1 March in years that are not leap years.
    public static func birthYear(_ birthDate: FHIRDate, on date: FHIRDate) -> Int? {
        let today = (date.year, date.month ?? 12, date.day ?? 31)
        // Of a date that is not known to the day the oldest that the person can be.
        let earliest = (birthDate.year, birthDate.month ?? 1, birthDate.day ?? 1)
        guard earliest <= today else { return nil }
        let hadBirthday = (earliest.1, earliest.2) <= (today.1, today.2)
        let age = today.0 - earliest.0 - (hadBirthday ? 0 : 1)
        return age >= oldestGroup ? date.year - oldestGroup : birthDate.year
    }

    // MARK: Addresses

    private static func address(_ details: ParticipantDetails, _ omissions: inout [Omission]) -> Address? {
        let country = details.country.map(normalized) ?? ""
        let isTerritory = territories.contains(country)
        let isUnitedStates = isTerritory || unitedStates.contains(country)
        var address = Address()
        guard isUnitedStates else {
            let reason = "it is sent only where the country is known to be the United States"
            if details.state != nil { omissions.append(Omission(element: "address.state", reason: reason)) }
            if details.postalCode != nil {
                omissions.append(Omission(element: "address.postalCode", reason: reason))
            }
            guard details.country != nil else { return nil }
            guard country.utf8.count == 2, Locale.Region(country).isISORegion else {
                omissions.append(
                    Omission(element: "address.country", reason: "it is not a country's code of ISO 3166")
                )
                return nil
            }
            address.country = country
            return address
        }
        address.country = "US"
        if let state = (details.state ?? (isTerritory ? country : nil)).map(normalized) {
            address.state = states[state] != nil ? state : stateCodes[state]
            if address.state == nil {
                omissions.append(
                    Omission(
                        element: "address.state",
                        reason: "it is not a state or territory of the United States"
                    )
                )
            }
        }
        if let postalCode = details.postalCode {
            address.postalCode = prefix(ofPostalCode: postalCode)
            if address.postalCode == nil {
                omissions.append(
                    Omission(
                        element: "address.postalCode",
                        reason: "it is not a ZIP code, such as 02115 or 02115-1234"
                    )
                )
            }
        }
        return address
    }

    /// The three digits of a ZIP code (five digits, or nine with a hyphen) that may be sent; `nil` for other
    /// texts.
    public static func prefix(ofPostalCode text: String) -> String? {
        let text = Array(text.trimmingCharacters(in: .whitespaces).utf8)
        let isHyphenated = text.count == 10 && text[5] == UInt8(ascii: "-")
        guard text.count == 5 || isHyphenated,
            text.enumerated().allSatisfy({ $1.isASCIIDigit || (isHyphenated && $0 == 5) })
        else { return nil }
        let prefix = String(decoding: text.prefix(3), as: UTF8.self)
        return restrictedPrefixes.contains(prefix) ? "000" : prefix
    }

    /// Upper case without dots, and with single spaces: `U.S. ` becomes `US`.
    private static func normalized(_ text: String) -> String {
        text.prefix(100).replacing(".", with: "").uppercased().split(whereSeparator: \.isWhitespace).joined(
            separator: " "
        )
    }

    private static let unitedStates: Set<String> = [
        "US", "USA", "840", "U S", "U S A", "UNITED STATES", "THE UNITED STATES", "UNITED STATES OF AMERICA",
        "THE UNITED STATES OF AMERICA",
    ]
    /// Territories that ISO 3166 lists as countries.
    private static let territories: Set<String> = ["AS", "GU", "MP", "PR", "VI"]

    private static let stateCodes = Dictionary(uniqueKeysWithValues: states.map { ($1, $0) })

    /// The states, the district and the inhabited territories, by their postal abbreviations.
    private static let states: [String: String] = [
        "AL": "ALABAMA", "AK": "ALASKA", "AZ": "ARIZONA", "AR": "ARKANSAS", "CA": "CALIFORNIA",
        "CO": "COLORADO",
        "CT": "CONNECTICUT", "DE": "DELAWARE", "DC": "DISTRICT OF COLUMBIA", "FL": "FLORIDA", "GA": "GEORGIA",
        "HI": "HAWAII",
        "ID": "IDAHO", "IL": "ILLINOIS", "IN": "INDIANA", "IA": "IOWA", "KS": "KANSAS", "KY": "KENTUCKY",
        "LA": "LOUISIANA",
        "ME": "MAINE", "MD": "MARYLAND", "MA": "MASSACHUSETTS", "MI": "MICHIGAN", "MN": "MINNESOTA",
        "MS": "MISSISSIPPI",
        "MO": "MISSOURI", "MT": "MONTANA", "NE": "NEBRASKA", "NV": "NEVADA", "NH": "NEW HAMPSHIRE",
        "NJ": "NEW JERSEY",
        "NM": "NEW MEXICO", "NY": "NEW YORK", "NC": "NORTH CAROLINA", "ND": "NORTH DAKOTA", "OH": "OHIO",
        "OK": "OKLAHOMA",
        "OR": "OREGON", "PA": "PENNSYLVANIA", "RI": "RHODE ISLAND", "SC": "SOUTH CAROLINA",
        "SD": "SOUTH DAKOTA",
        "TN": "TENNESSEE", "TX": "TEXAS", "UT": "UTAH", "VT": "VERMONT", "VA": "VIRGINIA", "WA": "WASHINGTON",
        "WV": "WEST VIRGINIA", "WI": "WISCONSIN", "WY": "WYOMING", "AS": "AMERICAN SAMOA", "GU": "GUAM",
        "MP": "NORTHERN MARIANA ISLANDS", "PR": "PUERTO RICO", "VI": "VIRGIN ISLANDS",
    ]
}
