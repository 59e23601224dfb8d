import Foundation
import IndivoXML

func titles(in file: URL) throws -> [String] {
    let report = try XMLNode(parsing: Data(contentsOf: file))
    return report.find("Model[name=Medication] > Field[name=drugName_title]").map { $0.text() }
}
