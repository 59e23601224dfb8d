import FHIR
import FHIRPathEngine
import FHIRTables
import Foundation
import OrderedJSON
import TestSupport
import Testing

@testable import FHIRValidation

@Suite("What validation makes of the definitions")
struct ValidationDefinitionTests {
    @Test("every rule of R4 is read, and every erratum is of a rule")
    func rules() throws {
        for key in RuleTable.r4.keys {
            let rule = try #require(RuleTable.r4[key])
            #expect(throws: Never.self, "\(key)") {
                try FHIRPath(RuleErrata.expressions[key] ?? rule.expression)
            }
        }
        for key in RuleErrata.expressions.keys { #expect(RuleTable.r4[key] != nil, "\(key)") }
        for key in ValidationRule.checkedByWalk { #expect(RuleTable.r4[key] != nil, "\(key)") }
    }

    @Test("every element of a type has a bit")
    func elements() {
        for type in Definitions.r4.types {
            #expect(type.elements.count <= TypePlan.Elements.bitWidth, "\(type.name)")
        }
    }

    @Test("every required binding is checked, or its value set has no list of codes")
    func bindings() {
        let unlisted: Set = [
            "all-languages", "currencies", "mimetypes", "ucum-units", "http://loinc.org/vs/LL379-9",
        ]
        for type in Definitions.r4.types.map({ ValidationPlan.r4.type(id: $0.id) })
        where type.definition.kind != .primitive {
            for (element, definition) in zip(type.elements, type.definition.elements) {
                guard let binding = definition.binding, binding.strength == .required else { continue }
                #expect(
                    element.types.allSatisfy { $0.codes != nil } || unlisted.contains(binding.valueSet),
                    "\(definition.path)"
                )
            }
        }
    }

    /// What is decided by structure must be what the expression says.
    @Test(
        "rules have the same results with and without a look at the structure first",
        .enabled(if: !SharedFHIR.files("examples").isEmpty, "../shared/fhir is not there")
    )
    func structure() throws {
        var count = 0
        for file in SharedFHIR.files("examples", "validation", "questionnaires") {
            let json = try JSONValue(parsing: Data(contentsOf: file))
            var quick = Validation(ValidationOptions())
            var slow = Validation(ValidationOptions())
            slow.usesStructure = false
            let issues = quick.issues(of: json)
            #expect(issues == slow.issues(of: json), "\(file.lastPathComponent)")
            count += issues.count
        }
        #expect(count > 100)
    }
}
