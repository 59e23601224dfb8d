import FHIRTables
import FHIRValidation
import Testing

@testable import FHIRSandbox

@Suite("The search parameters of the FHIR sandbox")
struct CatalogTests {
    @Test("every expression of R4's search parameters compiles")
    func compiles() {
        #expect(SearchCatalog.r4.problems == [])
        #expect(SearchCatalog.r4.parameters(of: "Observation").count > 40)
        #expect(SearchCatalog.r4.typeNames.count == 146)
    }

    @Test("all parameters with an expression are offered, composites with all their parts")
    func offered() {
        for definition in SearchParameter.r4
        where !["Resource", "DomainResource"].contains(definition.resource) {
            let parameter = SearchCatalog.r4.parameters(of: definition.resource)[definition.name]
            #expect(
                (parameter != nil) == (definition.expression != nil && definition.kind != .special),
                "\(definition.name)"
            )
            if let parameter { #expect(parameter.components.count == definition.components.count) }
        }
    }
}
