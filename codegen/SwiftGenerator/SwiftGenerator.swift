// SwiftGenerator
