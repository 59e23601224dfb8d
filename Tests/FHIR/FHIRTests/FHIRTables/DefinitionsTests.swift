import FHIRTables
import FHIRValidation
import Testing

@Suite("The tables of FHIR R4")
struct DefinitionsTests {
    private let r4 = Definitions.r4

    @Test("an element's facts")
    func element() throws {
        let observation = try #require(r4.type(named: "Observation"))
        #expect(observation.kind == .resource)
        #expect(observation.rules == ["dom-2", "dom-3", "dom-4", "dom-5", "dom-6", "obs-6", "obs-7"])
        #expect(
            observation.elements.prefix(9).map(\.name) == [
                "id", "meta", "implicitRules", "language", "text", "contained", "extension",
                "modifierExtension", "identifier",
            ]
        )
        let status = try #require(observation.element(named: "status"))
        #expect(status.minimum == 1 && status.maximum == 1 && !status.isList)
        #expect(status.isModifier && status.isSummary)
        #expect(status.binding == Binding.required("observation-status"))
        #expect(status.rules == ["ele-1"])
        let value = try #require(observation.element(named: "value"))
        #expect(value.isChoice && value.types.count == 11 && value.path == "Observation.value[x]")
        #expect(
            observation.element(named: "subject")?.types.first?.targets == [
                "Patient", "Group", "Device", "Location",
            ]
        )
        #expect(RuleTable.r4["obs-6"]?.severity == .error)
        #expect(RuleTable.r4["inv-1@Task"] != nil)
    }

    @Test("members of JSON lead to elements and types")
    func members() throws {
        let observation = try #require(r4.type(named: "Observation"))
        let quantity = try #require(observation.member(named: "valueQuantity"))
        #expect(observation.elements[quantity.element].name == "value")
        #expect(observation.elements[quantity.element].types[quantity.type].code == "Quantity")
        #expect(observation.member(named: "value") == nil)
        #expect(observation.member(named: "valuequantity") == nil)
        #expect(observation.member(named: "") == nil)
        for type in r4.types {
            for (index, element) in type.elements.enumerated() where !element.isChoice && element.maximum != 0
            {
                #expect(type.member(named: element.name)?.element == index)
            }
        }
    }

    @Test("nested types, references to their elements, and bases are resolved")
    func resolution() throws {
        let component = try #require(r4.type(named: "Observation.component"))
        #expect(component.kind == .nested)
        #expect(component.elements.map(\.name).prefix(3) == ["id", "extension", "modifierExtension"])
        let range = try #require(component.element(named: "referenceRange"))
        #expect(r4.types[range.types[0].id].name == "Observation.referenceRange")
        let item = try #require(r4.type(named: "Questionnaire.item"))
        #expect(item.element(named: "item").map { r4.types[$0.types[0].id] } === item)
        #expect(r4.type(named: "Age")?.element(named: "value") != nil)
        #expect(r4.type(named: "SimpleQuantity")?.element(named: "comparator")?.maximum == 0)
        #expect(r4.type(named: "Dosage.doseAndRate")?.base == "Element")
        let age = try #require(r4.type(named: "Age"))
        #expect(age.lineage.map { r4.types[$0].name } == ["Age", "Quantity", "Element"])
        #expect(try age.isA(#require(r4.type(named: "Quantity"))) && !age.isA(component))
    }

    @Test("resources without a view have elements, cardinalities, types and bindings")
    func others() throws {
        let target = try #require(r4.type(named: "ConceptMap.group.element.target"))
        #expect(target.element(named: "equivalence")?.binding?.strength == .required)
        #expect(target.element(named: "equivalence")?.minimum == 1)
        let product = try #require(target.element(named: "product"))
        #expect(
            product.isList
                && r4.types[product.types[0].id].name == "ConceptMap.group.element.target.dependsOn"
        )
        #expect(
            r4.type(named: "ConceptMap")?.element(named: "source")?.types.map(\.code) == ["uri", "canonical"]
        )
        #expect(r4.types.filter { $0.kind == .resource }.allSatisfy { $0.isAbstract || $0.lineage.count > 1 })
    }

    @Test("every name in the tables is defined")
    func names() {
        #expect(r4.types.filter { $0.kind == .resource && !$0.isAbstract }.count == 146)
        #expect(r4.resourceNames.count == 146)
        for type in r4.types {
            #expect(r4.types[type.id] === type)
            for rule in type.rules { #expect(RuleTable.r4[rule] != nil, "\(rule)") }
            for element in type.elements {
                for rule in element.rules { #expect(RuleTable.r4[rule] != nil, "\(rule)") }
                #expect(!element.types.isEmpty)
            }
        }
    }

    @Test("codes of value sets, with the abstract ones left out")
    func codes() throws {
        let gender = try #require(ValueSetTable.r4["administrative-gender"])
        #expect(gender.codes.map(\.code) == ["male", "female", "other", "unknown"])
        #expect(gender.codes[0].display == "Male")
        #expect(gender.contains(code: "other") && !gender.contains(code: "Other"))
        #expect(gender.contains(system: "http://hl7.org/fhir/administrative-gender", code: "male"))
        #expect(!gender.contains(system: "http://example.org", code: "male"))
        let items = try #require(ValueSetTable.r4["item-type"])
        #expect(!items.contains(code: "question") && items.contains(code: "group"))
        #expect(ValueSetTable.r4["resource-types"]?.codes.count == 148)
    }

    @Test("search parameters")
    func searchParameters() throws {
        let patient = try #require(
            SearchParameter.r4.first { $0.resource == "Observation" && $0.name == "code-value-quantity" }
        )
        #expect(patient.kind == .composite && patient.components.count == 2)
        #expect(
            SearchParameter.r4.first { $0.resource == "Observation" && $0.name == "subject" }?.targets
                .contains("Patient") == true
        )
        #expect(SearchParameter.r4.allSatisfy { !$0.name.isEmpty })
    }

    @Test(
        "tables that cannot be read are errors",
        arguments: [
            " x 0..1 string", "type A -", "datatype A -\n x 0..1", "datatype A -\n x 1 string",
            "datatype A -\n x 0..1 Nothing",
            "datatype A B", "datatype A -\n   x 0..1 string", "datatype A A",
        ]
    )
    func wrongTables(table: String) {
        #expect(throws: TableError.self) {
            try Definitions(types: [table, "primitive string -"]).check()
        }
    }
}

extension Binding {
    fileprivate static func required(_ name: String) -> Binding? {
        Definitions.r4.types.lazy.flatMap(\.elements).compactMap(\.binding).first {
            $0.strength == .required && $0.valueSet == name
        }
    }
}
