import Foundation

/// A value of a column or of a parameter.
package enum SQLValue: Sendable, Hashable {
    case null
    case integer(Int)
    case double(Double)
    case text(String)
    case bytes(Data)
}

/// What can be given for a parameter.
package protocol SQLConvertible {
    var sqlValue: SQLValue { get }
}

/// What is given for the parameters of a statement.
package typealias SQLArguments = [(any SQLConvertible)?]

extension SQLValue: SQLConvertible {
    package var sqlValue: SQLValue { self }
}

extension String: SQLConvertible {
    package var sqlValue: SQLValue { .text(self) }
}

extension Int: SQLConvertible {
    package var sqlValue: SQLValue { .integer(self) }
}

extension Double: SQLConvertible {
    package var sqlValue: SQLValue { .double(self) }
}

extension Bool: SQLConvertible {
    package var sqlValue: SQLValue { .integer(self ? 1 : 0) }
}

extension Data: SQLConvertible {
    package var sqlValue: SQLValue { .bytes(self) }
}

/// A row of a result. Numbers and moments are texts where the database gives them so.
package struct SQLRow: Sendable, Hashable {
    /// The names of the columns.
    package let columns: [String]
    /// The values, in the order of the columns.
    package let values: [SQLValue]

    package init(columns: [String], values: [SQLValue]) {
        self.columns = columns
        self.values = values
    }

    package subscript(name: String) -> SQLValue { columns.firstIndex(of: name).map { values[$0] } ?? .null }

    package func text(_ index: Int) -> String? { values[index].text }
    package func text(_ name: String) -> String? { self[name].text }
    package func integer(_ index: Int) -> Int? { values[index].integer }
    package func integer(_ name: String) -> Int? { self[name].integer }
    package func double(_ index: Int) -> Double? { values[index].double }
    package func bytes(_ name: String) -> Data? { self[name].bytes }

    /// A number without zeros at its end, as in `100.5`.
    package func decimal(_ name: String) -> String? { self[name].decimal }
}

extension SQLValue {
    package var text: String? {
        switch self {
        case .null, .bytes: nil
        case .integer(let number): String(number)
        // The numbers of facts have five decimals.
        case .double(let number): SQLValue.text(String(format: "%.5f", number)).decimal
        case .text(let text): text
        }
    }

    package var integer: Int? {
        switch self {
        case .null, .bytes: nil
        case .integer(let number): number
        case .double, .text: text.flatMap { Int($0) }
        }
    }

    package var double: Double? {
        switch self {
        case .null, .bytes: nil
        case .integer(let number): Double(number)
        case .double(let number): number
        case .text(let text): Double(text)
        }
    }

    package var bytes: Data? {
        switch self {
        case .null, .integer, .double: nil
        case .text(let text): Data(text.utf8)
        case .bytes(let data): data
        }
    }

    package var decimal: String? {
        guard let text, text.contains(".") else { return text }
        var digits = Substring(text)
        while digits.last == "0" { digits.removeLast() }
        return String(digits.last == "." ? digits.dropLast() : digits)
    }
}
