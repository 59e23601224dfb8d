import IndivoBase
import UCUM

/// Code systems whose codes have a form, and of which some are known without a list.
enum CodeGrammar: String, CaseIterable {
    case ucum = "http://unitsofmeasure.org"
    case languages = "urn:ietf:bcp:47"
    case mimeTypes = "urn:ietf:bcp:13"
    case currencies = "urn:iso:std:iso:4217"
    case loinc = "http://loinc.org"
    case snomed = "http://snomed.info/sct"

    /// What the form of a code says.
    enum Outcome {
        case isCode
        case isNone
        /// It may be one: the form is right, and the list is not at hand.
        case isPossible
    }

    func outcome(of code: String) -> Outcome {
        switch self {
        case .ucum: (try? UCUMUnit(code)) == nil ? .isNone : .isCode
        case .languages: LanguageTag.isWellFormed(code) ? .isCode : .isNone
        case .mimeTypes: Self.isMIMEType(code) ? .isCode : .isNone
        case .currencies: Self.currencyCodes.contains(code) ? .isCode : .isNone
        case .loinc: Self.isLOINC(code) ? .isPossible : .isNone
        case .snomed: Self.isSNOMED(code) ? .isPossible : .isNone
        }
    }

    /// All codes, where there is a list.
    var codes: [String]? { self == .currencies ? Self.currencyCodes.sorted() : nil }

    /// Whether a code fulfils a filter; nil where the filter is none that the form decides.
    func accepts(_ code: String, _ filter: ValueSetDefinition.Filter) -> Bool? {
        guard self == .ucum, filter.property == "canonical", filter.operation == .equals,
            let unit = try? UCUMUnit(code), let canonical = try? UCUMUnit(filter.value)
        else { return nil }
        return unit.isCommensurable(with: canonical)
    }

    // MARK: Forms

    /// `type/subtype` with parameters behind semicolons (RFC 6838, 4.2; RFC 2045, 5.1).
    static func isMIMEType(_ code: String) -> Bool {
        let parts = code.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        let names = parts[0].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard names.count == 2, names.allSatisfy(isRestrictedName) else { return false }
        return parts.dropFirst().allSatisfy { parameter in
            let pair = parameter.drop { $0 == UInt8(ascii: " ") }.split(
                separator: UInt8(ascii: "="),
                maxSplits: 1
            )
            return pair.count == 2 && isRestrictedName(pair[0])
        }
    }

    private static func isRestrictedName(_ name: Substring.UTF8View) -> Bool {
        (1...127).contains(name.count)
            && name.allSatisfy { $0.isASCIILetterOrDigit || "!#$&-^_.+".utf8.contains($0) }
    }

    /// Digits, a hyphen and a check digit (LOINC Users' Guide, “LOINC codes and check digits”); parts and
    /// answers begin with letters.
    static func isLOINC(_ code: String) -> Bool {
        let bytes = Array(code.utf8)
        let prefixes = ["LP", "LA", "LL", "LG"]
        let start = prefixes.contains(where: code.hasPrefix) ? 2 : 0
        let digits = bytes.dropFirst(start)
        if start == 0, code.hasPrefix("MTHU") { return bytes.dropFirst(4).allSatisfy(\.isASCIIDigit) }
        guard digits.count >= 3, digits.count <= 10, digits[digits.endIndex - 2] == UInt8(ascii: "-"),
            digits[digits.endIndex - 1].isASCIIDigit, digits.dropLast(2).allSatisfy(\.isASCIIDigit)
        else { return false }
        return luhn(digits.dropLast(2)) == digits[digits.endIndex - 1] - 0x30
    }

    private static func luhn(_ digits: ArraySlice<UInt8>) -> UInt8 {
        var sum = 0
        for (index, digit) in digits.reversed().enumerated() {
            let doubled = Int(digit - 0x30) * (index % 2 == 0 ? 2 : 1)
            sum += doubled / 10 + doubled % 10
        }
        return UInt8((10 - sum % 10) % 10)
    }

    /// An identifier of 6 to 18 digits with a check digit after Verhoeff (SNOMED CT, “SCTID”), or an
    /// expression of several.
    static func isSNOMED(_ code: String) -> Bool {
        let digits = Array(code.utf8)
        // A postcoordinated expression has its identifiers among signs; those are a server's to read.
        guard digits.allSatisfy(\.isASCIIDigit) else {
            return digits.contains { ":+={|".utf8.contains($0) } && digits.contains(where: \.isASCIIDigit)
        }
        guard (6...18).contains(digits.count), digits[0] != UInt8(ascii: "0") else { return false }
        var check = 0
        for (index, digit) in digits.reversed().enumerated() {
            check = product(check, permuted(Int(digit - 0x30), times: index))
        }
        return check == 0
    }

    /// The product in the dihedral group of ten elements.
    private static func product(_ a: Int, _ b: Int) -> Int {
        switch (a < 5, b < 5) {
        case (true, true): (a + b) % 5
        case (true, false): (a + b - 5) % 5 + 5
        case (false, true): (a - b + 5) % 5 + 5
        case (false, false): (a - b + 5) % 5
        }
    }

    private static func permuted(_ digit: Int, times: Int) -> Int {
        var digit = digit
        for _ in 0..<times % 8 { digit = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4][digit] }
        return digit
    }

    /// ISO 4217, the codes of currencies and funds.
    static let currencyCodes: Set<String> = Set(
        """
        AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP \
        BYN BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB \
        EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD \
        JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU \
        MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD \
        RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY \
        TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF XAG XAU XBA XBB XAD XBC XBD \
        XCD XCG XDR XOF XPD XPF XPT XSU XTS XUA XXX YER ZAR ZMW ZWG ZWL
        """.split(separator: " ").map(String.init)
    )
}
