import Foundation

/// A resource as `study_resource` has it: its JSON as raw deflate (RFC 1951), for which zlib knows beforehand
/// what such JSON has in common. What an earlier version stored is plain JSON.
enum StoredResource {
    /// What is packed begins so; no JSON does. It stands for the dictionary, too: another one needs another
    /// mark.
    private static let mark: UInt8 = 1
    /// The mark, and the length of the JSON in 32 bits, the highest byte first.
    private static let headLength = 5
    /// The bytes of JSON that are unpacked at most: as many as the files of a message may have.
    static let maximumLength = 256 << 20

    /// The bytes that are kept.
    static func packed(_ json: String) -> Data {
        let content = Data(json.utf8)
        // The warehouse refuses what is not packed.
        guard content.count <= maximumLength, let deflated = DictionaryDeflate.packed(content, dictionary)
        else { return content }
        var packed = Data([mark])
        withUnsafeBytes(of: UInt32(content.count).bigEndian) { packed.append(contentsOf: $0) }
        return packed + deflated
    }

    /// The JSON of a value of the column; `nil` where that is NULL.
    ///
    /// - Throws: ``WarehouseError`` for bytes that are damaged.
    static func json(_ value: SQLValue) throws -> String? {
        guard case .bytes(let data) = value else { return value.text }
        guard data.first == mark else { return String(decoding: data, as: UTF8.self) }
        let count = data.dropFirst().prefix(headLength - 1).reduce(0) { $0 << 8 | Int($1) }
        guard data.count > headLength, count <= maximumLength,
            let content = DictionaryDeflate.unpacked(data.dropFirst(headLength), dictionary, count: count)
        else { throw WarehouseError.badInput("a resource in the warehouse is damaged") }
        return String(decoding: content, as: UTF8.self)
    }

    /// What resources have in common, the most frequent last. What is stored needs it as it is: it never
    /// changes.
    static let dictionary = Array(
        [
            #"{"resourceType":"Bundle","#,
            #""contained":[{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/"#,
            #"data-absent-reason","valueCode":"masked"}]"_"#,
            #"{"resourceType":"Contract","status":"executed","applies":{"start":"T00:00:00Z"},"#,
            #""signer":[{"type":{"system":"http://hl7.org/fhir/contractsignertypecodes","#,
            #""code":"CONSENTER"},"#,
            #""party":{"reference":"Patient/"},"#,
            #""signature":[{"type":[{"system":"urn:iso-astm:E1762-95:2013","#,
            #""code":"1.2.840.10065.1.12.1.7"}],"when":"20"}]}]"#,
            #"{"resourceType":"Consent","status":"active","#,
            #""scope":{"coding":[{"system":"http://terminology.hl7.org/"#,
            #"CodeSystem/consentscope","code":"research"}]},"category":["dateTime":"#,
            #"{"resourceType":"Patient","gender":"male","gender":"female","birthDate":"19","#,
            #""address":[{"country":"US","state":"MA","postalCode":"02"}]}"#,
            #"{"resourceType":"Observation","meta":{"versionId":"1","lastUpdated":"20"},"status":"final","#,
            #""identifier":[{"system":"urn:ietf:rfc:3986","value":"urn:uuid:"}],"#,
            #""category":[{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/observation-category"#,
            #"","#,
            #""code":"activity","display":"Activity"}]}],"code":"laboratory","#,
            #""code":"vital-signs"}]}],"code":{"coding":[{"system":"#,
            #""http://snomed.info/sct","code":"},{"system":"http://loinc.org","code":"8867-4","#,
            #""display":"Heart rate"},"#,
            #"{"system":"http://developer.apple.com/documentation/healthkit","#,
            #""code":"HKCategoryTypeIdentifier","#,
            #""code":"HKQuantityTypeIdentifier","display":"}],"text":"},"subject":{"reference":"Patient/"},"#,
            #""effectivePeriod":{"start":"2026-","end":"2026-"},"#,
            #""effectiveDateTime":"2026-03-01T10:00:00+01:00","issued":"2026-"#,
            #""valueQuantity":{"value":,"unit":"beats/minute","unit":"count","#,
            #""system":"http://unitsofmeasure.org","code":"/min"},"#,
            #""device":{"display":"Apple Watch"},"component":[{"code":{"coding":[{"#,
            #"{"resourceType":"QuestionnaireResponse","identifier":{"system":"urn:uuid","value":""},"#,
            #""meta":{"versionId":"1","lastUpdated":"2026-"},"language":"en","#,
            #""questionnaire":"http://example.org/Questionnaire/|1.0","status":"amended","#,
            #""status":"completed","#,
            #""authored":"2026-03-01T10:00:00Z","subject":{"reference":"Patient/"},"#,
            #""source":{"reference":"Patient/"},"#,
            #""item":[{"linkId":"group","text":"How often have you","item":[{"linkId":"1.1","#,
            #""answer":[{"valueDecimal":0.5}]},"#,
            #"{"linkId":"2","answer":[{"valueDate":"20"}]},{"linkId":"3","#,
            #""answer":[{"valueDateTime":"20"}]},"#,
            #"{"linkId":"4","answer":[{"valueTime":"0:00"}]},{"linkId":"q","answer":[{"valueUri":"#,
            #""valueAttachment":{"contentType":"image/jpeg","data":"},"#,
            #""valueReference":{"valueQuantity":{"value":1,"unit":"#,
            #"{"linkId":"a","answer":[{"valueBoolean":false}]},{"linkId":"b","#,
            #""answer":[{"valueBoolean":true}]},"#,
            #"{"linkId":"t","answer":[{"valueString":"}]}]},{"linkId":"n","answer":[{"valueInteger":1}]},"#,
            #"{"linkId":"c","answer":[{"valueCoding":{"system":"http://loinc.org","#,
            #""code":"LA6568-5","display":"Not at all"}}]},"#,
            #"{"linkId":"c0","answer":[{"valueCoding":{"system":"urn:","code":"a"}}]},"#,
        ].joined().utf8
    )
}
