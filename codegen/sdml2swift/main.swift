import SwiftGenerator

GeneratorCommand.run(Array(CommandLine.arguments.dropFirst())).end()
