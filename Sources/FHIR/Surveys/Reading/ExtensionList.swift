import FHIR
import OrderedJSON

/// The extensions of an element, read once.
struct ExtensionList {
    private let entries: [(url: String, tree: JSONValue)]

    init(_ element: JSONValue) {
        entries = element.elements(of: "extension").compactMap { tree in
            tree.member("url")?.string.map { ($0, tree) }
        }
    }

    var isEmpty: Bool { entries.isEmpty }
    var urls: [String] { entries.map(\.url) }

    /// All extensions with a URL.
    func all(_ urls: String...) -> [JSONValue] { entries.filter { urls.contains($0.url) }.map(\.tree) }

    /// The first extension with one of the URLs; an earlier URL wins.
    func first(_ urls: [String]) -> JSONValue? {
        guard !entries.isEmpty else { return nil }
        for url in urls { if let entry = entries.first(where: { $0.url == url }) { return entry.tree } }
        return nil
    }

    /// The value of the first extension with one of the URLs.
    func value(_ urls: String...) -> JSONValue? { first(urls)?.extensionValue }

    /// The same as a text with its translations.
    func text(_ urls: String...) -> SurveyText? {
        first(urls).flatMap { tree in tree.valueMember.flatMap { SurveyText(tree, $0.name) } }
    }

    func values(_ urls: String...) -> [JSONValue] {
        entries.filter { urls.contains($0.url) }.compactMap(\.tree.extensionValue)
    }
}

extension ExtensionList {
    /// What something counts in a score.
    var score: FHIRDecimal? {
        guard !isEmpty else { return nil }
        return first(ExtensionURL.scores)?.extensionValue.flatMap(FHIRDecimal.init(tree:))
    }
}

extension JSONValue {
    /// The `value[x]` of an extension.
    var extensionValue: JSONValue? { valueMember?.value }

    /// The member `value[x]`.
    var valueMember: JSONMember? { members?.first { $0.name.hasPrefix("value") } }

    /// The answer that a `value[x]` is.
    var answerValue: SurveyAnswer? {
        valueMember.flatMap { SurveyAnswer(String($0.name.dropFirst(5)), $0.value) }
    }

    /// The code of the first coding of a CodeableConcept, or the code itself.
    var conceptCodes: [String] {
        if let string { return [string] }
        return (member("coding")?.elements ?? []).compactMap { $0.member("code")?.string }
    }
}

/// The extensions of questionnaires that are read.
enum ExtensionURL {
    static let core = "http://hl7.org/fhir/StructureDefinition/"
    static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"

    static let markdown = core + "rendering-markdown"
    static let xhtml = core + "rendering-xhtml"
    static let style = core + "rendering-style"
    static let translation = core + "translation"
    static let hidden = core + "questionnaire-hidden"
    static let itemControl = core + "questionnaire-itemControl"
    static let androidItemControl =
        "https://github.com/google/android-fhir/StructureDefinition/questionnaire-itemControl"
    static let orientation = core + "questionnaire-choiceOrientation"
    static let displayCategory = core + "questionnaire-displayCategory"
    static let supportLink = core + "questionnaire-supportLink"
    /// R5's name of it.
    static let supportHyperlink = core + "questionnaire-supportHyperlink"
    static let shortText = sdc + "shortText"
    static let collapsible = sdc + "collapsible"
    static let columnCount = sdc + "columnCount"
    static let itemMedia = sdc + "itemMedia"
    static let answerMedia = sdc + "itemAnswerMedia"
    static let minOccurs = core + "questionnaire-minOccurs"
    static let maxOccurs = core + "questionnaire-maxOccurs"
    /// What tools wrote where a question with items under it repeats.
    static let answerRepeats = core + "questionnaire-answerRepeats"
    static let minLength = core + "minLength"
    static let regex = core + "regex"
    static let validationTexts = [
        "http://bdh.stanford.edu/fhir/StructureDefinition/validationtext",
        "http://biodesign.stanford.edu/fhir/StructureDefinition/validationtext",
    ]
    static let entryFormat = core + "entryFormat"
    static let minimum = [
        core + "minValue", sdc + "minQuantity", "http://ehelse.no/fhir/StructureDefinition/sdf-minvalue",
    ]
    static let maximum = [
        core + "maxValue", sdc + "maxQuantity", "http://ehelse.no/fhir/StructureDefinition/sdf-maxvalue",
    ]
    static let maxDecimalPlaces = core + "maxDecimalPlaces"
    static let sliderStep = core + "questionnaire-sliderStepValue"
    static let unit = core + "questionnaire-unit"
    static let unitOption = core + "questionnaire-unitOption"
    static let unitValueSet = core + "questionnaire-unitValueSet"
    static let unitOpen = sdc + "unitOpen"
    static let mimeType = core + "mimeType"
    static let maxSize = core + "maxSize"
    static let referenceResource = core + "questionnaire-referenceResource"
    static let referenceProfile = core + "questionnaire-referenceProfile"
    static let referenceFilter = core + "questionnaire-referenceFilter"
    static let usageMode = core + "questionnaire-usageMode"
    static let fhirType = core + "questionnaire-fhirType"
    static let entryMode = sdc + "entryMode"
    static let exclusive = core + "questionnaire-optionExclusive"
    static let optionPrefix = core + "questionnaire-optionPrefix"
    static let scores =
        ScoreExtension.urls + [core + "codesystem-ordinalValue", core + "valueset-ordinalValue"]
    static let tooCostly = core + "valueset-toocostly"
    static let conceptProperty =
        "http://hl7.org/fhir/5.0/StructureDefinition/extension-ValueSet.expansion.contains.property"
    static let openLabel = sdc + "openLabel"
    static let variable = [core + "variable", sdc + "variable", core + "questionnaire-variable"]
    static let enableWhenExpression = sdc + "enableWhenExpression"
    /// Kanta's (Finland), with the expression as a string.
    static let finnishEnableWhen =
        "http://phr.kanta.fi/StructureDefinition/fiphr-ext-questionnaire-enablewhen"
    static let initialExpression = [sdc + "initialExpression", core + "questionnaire-initialExpression"]
    static let calculatedExpression = [
        sdc + "calculatedExpression", core + "questionnaire-calculatedExpression",
    ]
    static let answerExpression = sdc + "answerExpression"
    static let candidateExpression = sdc + "candidateExpression"
    static let optionToggle = sdc + "answerOptionsToggleExpression"
    static let sourceQueries = sdc + "sourceQueries"
    static let populationContext = sdc + "itemPopulationContext"
    static let observationPeriod = sdc + "observationLinkPeriod"
    static let isSubject = sdc + "isSubject"
    /// The name in SDC 4, and that in R5's core.
    static let terminologyServer = [sdc + "preferredTerminologyServer", core + "preferredTerminologyServer"]
    static let choiceColumn = sdc + "choiceColumn"
    static let responseAuthor = core + "questionnaireresponse-author"
    static let subQuestionnaire = sdc + "subQuestionnaire"
    static let assembledFrom = sdc + "assembledFrom"
    static let library = core + "cqf-library"
    static let launchContext = [sdc + "launchContext", core + "questionnaire-launchContext"]
    static let expression = core + "cqf-expression"
    static let calculatedValue = core + "cqf-calculatedValue"
    static let constraint = core + "questionnaire-constraint"
    static let targetConstraint = core + "targetConstraint"
    static let extractAllocateId = sdc + "extractAllocateId"
    static let observationExtract = sdc + "observationExtract"
    static let observationExtractCategory = sdc + "observation-extract-category"
    static let observationExtractEntry = sdc + "observationExtractEntry"
    static let definitionExtract = sdc + "definitionExtract"
    static let definitionExtractValue = sdc + "definitionExtractValue"
    static let itemExtractionContext = sdc + "itemExtractionContext"
    static let templateExtract = sdc + "templateExtract"
    static let templateExtractBundle = sdc + "templateExtractBundle"
    static let templateExtractContext = sdc + "templateExtractContext"
    static let patchRequestURL =
        "https://smartforms.csiro.au/ig/StructureDefinition/TemplateExtractExtensionPatchRequestUrl"
    static let templateExtractValue = sdc + "templateExtractValue"
    private static let ios = "http://bdh.stanford.edu/fhir/StructureDefinition/ios-"
    private static let oldIOS = "http://biodesign.stanford.edu/fhir/StructureDefinition/ios-"
    static let sdcKeyboard = sdc + "keyboard"
    static let keyboard = [ios + "keyboardtype", oldIOS + "keyboardtype"]
    static let textContent = [ios + "textcontenttype", oldIOS + "textcontenttype"]
    static let capitalization = [ios + "autocapitalizationType", oldIOS + "autocapitalizationType"]
}
