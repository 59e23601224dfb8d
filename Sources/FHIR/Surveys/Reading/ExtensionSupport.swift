import OrderedJSON

/// Which extensions of questionnaires are followed, and what those that are not would do. Every extension of
/// Structured Data Capture and of Questionnaires in R4's core is one or the other.
enum ExtensionSupport {
    /// Something that a questionnaire asks for and that is not done.
    struct Lack: Sendable {
        var severity = SurveyDiagnostic.Severity.information
        var code = "unsupportedExtension"
        let text: String
    }

    /// What is lacking for an extension; nil where it is followed, or is nobody's that is known.
    /// - Parameter place: The member that it is on; empty for the item or questionnaire itself.
    static func lack(of tree: JSONValue, at place: String) -> Lack? {
        guard let url = tree.member("url")?.string else { return nil }
        let canonical = tree.extensionValue?.string.map { " \($0.prefix(200))" } ?? ""
        switch url {
        case ExtensionURL.expression where !expressionPlaces.contains(place):
            return Lack(text: "Not supported: an expression that gives \(place.isEmpty ? "it" : place).")
        case ExtensionURL.sdc + "targetStructureMap":
            return Lack(
                severity: .warning,
                text: "Not supported: extraction by the StructureMap\(canonical); what it makes is missing."
            )
        case ExtensionURL.sdc + "sourceStructureMap":
            return Lack(
                severity: .warning,
                text: "Not supported: population by the StructureMap\(canonical); what it fills stays empty."
            )
        case ExtensionURL.sdc + "questionnaireAdaptive":
            guard tree.extensionValue?.boolean != false else { return nil }
            return Lack(
                severity: .error,
                code: "adaptive",
                text: """
                    The questionnaire is adaptive: a server gives its questions one by one ($next-question), \
                    which is not done; only the items that are here are asked.
                    """
            )
        case renderingCritical:
            guard let critical = tree.extensionValue?.string, !followed.contains(critical) else { return nil }
            return Lack(
                severity: .warning,
                text: "The questionnaire must not be shown without \(critical.prefix(200)), "
                    + "which is not supported."
            )
        default: break
        }
        if let what = lacking[url] { return Lack(text: "Not supported: \(what).") }
        guard families.contains(where: url.hasPrefix), !followed.contains(url) else { return nil }
        return Lack(text: "Not supported: the extension \(url.prefix(200)).")
    }

    /// The texts that an expression may give: of items, and of options.
    private static let expressionPlaces: Set<String> = ["text", "prefix", "display", "valueString"]

    private static let renderingCritical =
        "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-rendering-criticalExtension"

    /// The prefixes of the URLs of extensions that are never ignored silently.
    private static let families = [
        ExtensionURL.sdc, "http://hl7.org/fhir/uv/sdc/StructureDefinition/",
        ExtensionURL.core + "questionnaire-", ExtensionURL.core + "sdc-questionnaire-",
        "http://hl7.org/fhir/5.0/StructureDefinition/extension-Questionnaire.item.",
    ]

    /// What is not done, by extensions that ask for it.
    private static let lacking: [String: String] = [
        ExtensionURL.sdc + "lookupQuestionnaire": "questions of another questionnaire",
        ExtensionURL.sdc + "subQuestionnaire": "questions of another questionnaire; assemble it first",
        ExtensionURL.sdc + "contextExpression": "context expressions",
        ExtensionURL.sdc + "itemContext":
            "population by the resource of an item; give it as a launch context",
        ExtensionURL.core + "questionnaire-signatureRequired": "signatures",
        ExtensionURL.sdc + "unitSupplementalSystem": "units of a further code system",
        ExtensionURL.sdc + "width": "widths of columns",
        ExtensionURL.sdc + "endpoint": "sending to where the questionnaire says; send the response yourself",
        ExtensionURL.sdc + "answerKey": "the right answers of a test",
        ExtensionURL.sdc + "performerType": "a rule of who may answer",
        ExtensionURL.sdc + "optionalDisplay": "leaving out what may be left out",
        ExtensionURL.sdc + "assembleContext": "a check that a module gets the variables that it needs",
        ExtensionURL.sdc + "assembleDefinitionRoot": "a choice of definitions for the assembly",
    ]

    /// What is read, or asks for nothing of who fills the form.
    static let followed: Set<String> = {
        var urls: Set<String> = [
            ExtensionURL.hidden, ExtensionURL.itemControl, ExtensionURL.orientation,
            ExtensionURL.displayCategory, ExtensionURL.supportLink, ExtensionURL.supportHyperlink,
            ExtensionURL.shortText, ExtensionURL.collapsible, ExtensionURL.itemMedia,
            ExtensionURL.answerMedia, ExtensionURL.columnCount,
            ExtensionURL.minOccurs, ExtensionURL.maxOccurs, ExtensionURL.answerRepeats,
            ExtensionURL.sliderStep, ExtensionURL.unit, ExtensionURL.unitOption, ExtensionURL.unitValueSet,
            ExtensionURL.referenceResource, ExtensionURL.referenceProfile, ExtensionURL.referenceFilter,
            ExtensionURL.usageMode, ExtensionURL.fhirType, ExtensionURL.entryMode, ExtensionURL.exclusive,
            ExtensionURL.optionPrefix, ExtensionURL.openLabel, ExtensionURL.enableWhenExpression,
            ExtensionURL.optionToggle, ExtensionURL.sourceQueries, ExtensionURL.populationContext,
            ExtensionURL.observationPeriod, ExtensionURL.choiceColumn, ExtensionURL.assembledFrom,
            ExtensionURL.constraint, ExtensionURL.isSubject, ExtensionURL.unitOpen,
            ExtensionURL.extractAllocateId, ExtensionURL.answerExpression, ExtensionURL.candidateExpression,
            ExtensionURL.observationExtract,
            ExtensionURL.observationExtractCategory, ExtensionURL.observationExtractEntry,
            ExtensionURL.definitionExtract, ExtensionURL.definitionExtractValue,
            ExtensionURL.itemExtractionContext, ExtensionURL.templateExtract,
            ExtensionURL.templateExtractBundle, ExtensionURL.templateExtractContext,
            ExtensionURL.templateExtractValue, ExtensionURL.sdcKeyboard, renderingCritical,
            // Of who assembles it, and of responses.
            ExtensionURL.sdc + "assemble-expectation",
            ExtensionURL.sdc + "item-answerAssessment",
            "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaireresponse-isSubject",
            "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-servicerequest-questionnaire",
            // Says of what a questionnaire is made, and asks for nothing.
            ExtensionURL.core + "questionnaire-derivationType", ExtensionURL.core + "questionnaire-studyType",
        ]
        for list in [
            ExtensionURL.minimum, ExtensionURL.maximum, ExtensionURL.scores, ExtensionURL.variable,
            ExtensionURL.initialExpression, ExtensionURL.calculatedExpression, ExtensionURL.launchContext,
            ExtensionURL.terminologyServer,
        ] { urls.formUnion(list) }
        return urls
    }()
}

extension QuestionnaireReader {
    /// Tells of the extensions of an item, or of the questionnaire, that are not followed, also of those on
    /// its texts and options.
    mutating func reportUnsupported(_ element: JSONValue, _ item: SurveyItem?) {
        var told: Set<String> = []
        var stack: [(element: JSONValue, place: String)] = [(element, "")]
        while let (element, place) = stack.popLast() {
            for member in element.members ?? [] {
                if member.name == "extension" {
                    for tree in member.value.elements ?? [] {
                        guard let lack = ExtensionSupport.lack(of: tree, at: place),
                            told.insert(lack.text).inserted
                        else { continue }
                        report(lack.severity, lack.code, lack.text, item)
                    }
                } else if !["item", "contained", "text"].contains(member.name) {
                    let inner = member.name.hasPrefix("_") ? String(member.name.dropFirst()) : member.name
                    for value in member.value.elements.map(Array.init) ?? [member.value]
                    where value.kind == .object {
                        stack.append((value, inner))
                    }
                }
            }
        }
    }
}
